# SARIF files as one, since code scanning takes one for each tool of a commit:
#   jq -s -f merge-sarif.jq reports/*.sarif > tileproof.sarif
map(.runs[0]) as $runs
| ([$runs[].tool.driver.rules[]?] | unique_by(.id)) as $rules
| ($rules | map(.id)) as $ids
| .[0]
| .runs = [
    $runs[0]
    | .tool.driver.rules = $rules
    | .results = [$runs[].results[]? | .ruleId as $id | .ruleIndex = ($ids | index($id))]
  ]
