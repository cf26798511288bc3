"""What LIRA's scripts have in common.

Times are microseconds since 1970, which a Lua number holds exactly until the year 2255. Whatever may refuse for want of memory
stands first in a script: Redis looks once, when a script begins, and what a script has written by then is not taken back.
"""

from __future__ import annotations

from lira_core.stores.redis.server import Script

_PRELUDE = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function whole(number) return string.format('%.0f', number) end

local position = 1
local function argument() position = position + 1; return ARGV[position - 1] end
local function number() return tonumber(argument()) end
local function list()
  local found = {}
  for i = 1, number() do found[i] = argument() end
  return found
end

local function is_cut(received, ...)
  for _, key in ipairs({...}) do
    local cut = redis.call('GET', key)
    if cut and received <= tonumber(cut) then return true end
  end
  return false
end

-- The highest cut stays.
local function raise_cut(key, cut, keep)
  local held = redis.call('GET', key)
  if held and tonumber(held) >= tonumber(cut) then redis.call('PEXPIRE', key, keep)
  else redis.call('SET', key, cut, 'PX', keep) end
end

local function entomb(key, name, keep)
  redis.call('ZADD', key, whole(now), name)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', '(' .. whole(now - keep * 1000))
  redis.call('PEXPIRE', key, keep)
end

local function entombed(key, names)
  if redis.call('EXISTS', key) == 1 then
    for _, name in ipairs(names) do
      if redis.call('ZSCORE', key, name) then return true end
    end
  end
  return false
end

local function has(names, sought)
  for _, name in ipairs(names or {}) do
    if name == sought then return true end
  end
  return false
end

-- The JSON before the first line break; an empty table when it cannot be read.
local function header(line)
  local read, found = pcall(cjson.decode, string.sub(line, 1, (string.find(line, '\\n', 1, true) or #line + 1) - 1))
  if read and type(found) == 'table' then return found end
  return {}
end
"""


def script(text: str) -> Script:
    return Script(_PRELUDE + text)
