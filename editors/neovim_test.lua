-- Drives Neovim with the configuration of docs/editors.md, as a user does: the program crdlab
-- is in the PATH, and the working directory is the root of the repository.
--
--   nvim --headless -u NONE -i NONE -c 'luafile editors/neovim_test.lua'

local longest_wait = 10000 -- milliseconds

-- Waits until a state is reached, and returns what reached tells about it.
local function await(what, reached)
  local result
  if not vim.wait(longest_wait, function() result = reached() return result end, 10) then
    error("waited in vain for " .. what)
  end
  return result
end

local function expect(what, got, want)
  if not vim.deep_equal(got, want) then
    error(what .. ": got " .. vim.inspect(got) .. ", want " .. vim.inspect(want))
  end
end

local function read(path)
  local f = assert(io.open(path))
  local text = f:read("*a")
  f:close()
  return text
end

-- The first block is for Neovim 0.11 or newer, the second one for older versions.
local function configure()
  local blocks = {}
  for block in read("docs/editors.md"):match("## Neovim\n(.-)\n## "):gmatch("```lua\n(.-)```") do
    table.insert(blocks, block)
  end
  assert(loadstring(blocks[vim.lsp.config and 1 or 2]))()
end

-- A folder whose name must be escaped in addresses.
local function copy_files()
  local folder = vim.fn.tempname() .. "/a b@(c)"
  vim.fn.mkdir(folder, "p")
  for _, name in ipairs({ "crontab.yaml", "object.yaml" }) do
    vim.fn.writefile(vim.fn.readfile("editors/testdata/" .. name), folder .. "/" .. name)
  end
  vim.cmd("cd " .. vim.fn.fnameescape(folder))
end

local function diagnostics()
  return vim.tbl_map(function(d) return d.lnum .. ": " .. d.message end, vim.diagnostic.get(0))
end

local function test_diagnostics()
  vim.cmd("edit object.yaml")
  expect("diagnostics", await("diagnostics", function()
    local found = diagnostics()
    return #found > 0 and found
  end), { '6: spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"' })
end

local function test_hover()
  vim.api.nvim_win_set_cursor(0, { 7, 4 })
  vim.lsp.buf.hover()
  local window = await("the window of hover", function()
    for _, w in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(w).relative ~= "" then return w end
    end
  end)
  local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), "\n")
  expect("the description in hover", text:match("The number of copies."), "The number of copies.")
  vim.api.nvim_win_close(window, true)
end

local function test_quick_fix()
  vim.api.nvim_win_set_cursor(0, { 7, 13 })
  local titles
  vim.ui.select = function(actions, options, choose)
    titles = vim.tbl_map(options.format_item, actions)
    choose(actions[1], 1)
  end
  vim.lsp.buf.code_action()
  await("the fixed line", function() return vim.fn.getline(7) == "  replicas: 3" end)
  await("the end of the diagnostics", function() return #vim.diagnostic.get(0) == 0 end)
  expect("titles", titles, { "Set replicas: 3", "Apply all safe fixes" })
end

local function test_completion()
  vim.fn.append(7, "  ")
  local replies = vim.lsp.buf_request_sync(0, "textDocument/completion", {
    textDocument = { uri = vim.uri_from_bufnr(0) }, position = { line = 7, character = 2 },
  }, longest_wait)
  local labels = {}
  for _, reply in pairs(replies) do
    for _, item in ipairs(reply.result.items) do table.insert(labels, item.label) end
  end
  expect("completion", labels, { "suspend" })
end

local function test_definition()
  vim.api.nvim_win_set_cursor(0, { 7, 4 })
  vim.cmd("write")
  vim.lsp.buf.definition()
  await("the CRD", function() return vim.fn.expand("%:t") == "crontab.yaml" end)
  expect("the line of the definition", vim.trim(vim.api.nvim_get_current_line()), "replicas:")
end

local ok, problem = xpcall(function()
  configure()
  copy_files()
  vim.cmd("filetype on")
  for _, test in ipairs({ test_diagnostics, test_hover, test_quick_fix, test_completion, test_definition }) do test() end
end, debug.traceback)
print(ok and "Neovim: diagnostics, hover, a quick fix, completion and definition\n" or problem .. "\n")
vim.cmd(ok and "qall!" or "cquit 1")
