-- For Neovim 0.11 or later, in init.lua or a file of plugin/.
vim.lsp.config("tileproof", {
  cmd = { "tileproof", "lsp" },
  filetypes = { "cpp", "toml" },
  root_markers = { ".git" },
})
vim.lsp.enable("tileproof")
