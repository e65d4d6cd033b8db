"""Draws a sweep as a heat map: the largest error of each cell, in steps of its format, by data and width.

    python examples/sweeps/heat_map.py shipped.sqlite heat_map.png

Needs matplotlib. Seeds and layouts are folded into the worst of them; a cell that does not pass has a cross.
"""

import sqlite3
import sys


def read(path: str) -> dict[tuple[str, str], dict[tuple[str, str], tuple[float, bool]]]:
    """By op and dtype, then by data and shape: the largest error, and whether all pass."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    query = """
        SELECT op, dtype, data, shape, max(coalesce(max_ulp, 0)), min(pass) FROM cells
        GROUP BY op, dtype, data, shape ORDER BY min(cell)
    """
    panels: dict[tuple[str, str], dict[tuple[str, str], tuple[float, bool]]] = {}
    for op, dtype, data, shape, ulp, passes in connection.execute(query):
        panels.setdefault((op, dtype), {})[data.lstrip("="), shape] = (ulp, bool(passes))
    connection.close()
    return panels


def draw(path: str, picture: str) -> None:
    """One panel for each op and dtype."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.colors import LogNorm

    panels = read(path)
    figure, all_axes = plt.subplots(2, 2, figsize=(12, 6.4), constrained_layout=True)
    image = None
    for axes, ((op, dtype), cells) in zip(all_axes.flat, sorted(panels.items())):
        rows = list(dict.fromkeys(data for data, _ in cells))
        columns = list(dict.fromkeys(shape for _, shape in cells))
        errors = [[max(cells[row, column][0], 0.05) for column in columns] for row in rows]
        image = axes.imshow(errors, norm=LogNorm(0.05, 1000), cmap="viridis", aspect="auto")
        for y, row in enumerate(rows):
            for x, column in enumerate(columns):
                ulp, passes = cells[row, column]
                text = f"{ulp:.1f}" if ulp < 100 else f"{ulp:.0f}"
                axes.text(x, y, text if passes else f"x {text}", ha="center", va="center", fontsize=7, color="white" if ulp < 30 else "black")
        axes.set_xticks(range(len(columns)), [column.split(",")[-1] for column in columns])
        axes.set_yticks(range(len(rows)), rows)
        axes.set(title=f"{op}, {dtype}", xlabel="width of a row")
    assert image is not None
    figure.colorbar(image, ax=all_axes, label="largest error, steps of the format")
    figure.savefig(picture, dpi=90)


if __name__ == "__main__":
    draw(sys.argv[1], sys.argv[2])
