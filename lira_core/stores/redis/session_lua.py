"""The scripts of sessions and kept answers. Each says its KEYS, then its ARGV in the order in which they are read.

A line of a log is a header, a line break and the text: `t` turn, `r` role, `n` received, `q` the memories that the reply rests on. An entry of
a buffer is a header (`m`, its memory), a line break and the entry as JSON.
"""

from __future__ import annotations

from lira_core.stores.redis.lua import script

_INDEX = """
-- What ends at `finish` (milliseconds) is known by the index until then; what has ended is dropped from it.
local function index(key, member, finish, keep)
  redis.call('ZADD', key, 'GT', whole(finish), member)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', whole(now / 1000))
  redis.call('PEXPIRE', key, keep)
end
"""

APPEND = script(
    _INDEX
    + """
-- KEYS: head log buffer turns session-cut cut tombstones sessions. 0: a deletion forbids it; 1: it is there.
local head, log, buffer, turns, own_cut, cut, tombstones, sessions = unpack(KEYS)
local session, turn, received, at, offset = argument(), argument(), argument(), argument(), argument()
local ttl, most, most_turns, keep = number(), number(), number(), number()
local forbidding, memories, entries, lines = list(), list(), list(), list()

if is_cut(tonumber(received), own_cut, cut) or entombed(tombstones, forbidding) then return 0 end
local before = redis.call('ZSCORE', turns, turn)
if before and not is_cut(tonumber(before), own_cut, cut) then return 1 end

local held = redis.call('HMGET', head, 'at', 'received')
local anew = not held[1] or tonumber(at) - tonumber(held[1]) >= ttl * 1000 or is_cut(tonumber(held[2]), own_cut, cut)
if anew or tonumber(held[1]) <= tonumber(at) then redis.call('HSET', head, 'at', at, 'offset', offset) end
if anew or tonumber(held[2]) < tonumber(received) then redis.call('HSET', head, 'received', received) end
redis.call('HSET', head, 'buffered', received)

for _, line in ipairs(lines) do redis.call('RPUSH', log, line) end
if anew and #lines == 0 then redis.call('DEL', log)
else redis.call('LTRIM', log, -math.min(most, anew and #lines or most), -1) end
redis.call('DEL', buffer)
for i, memory in ipairs(memories) do
  if memory == '' or not redis.call('ZSCORE', tombstones, memory) then redis.call('RPUSH', buffer, entries[i]) end
end
redis.call('ZADD', turns, received, turn)
redis.call('ZREMRANGEBYRANK', turns, 0, -most_turns - 1)

for _, key in ipairs({head, log, buffer}) do redis.call('PEXPIRE', key, ttl) end
redis.call('PEXPIRE', turns, keep)
index(sessions, session, now / 1000 + keep, keep)
return 1
"""
)

READ = script("""
-- KEYS: head log buffer cut. ARGV: how many lines, -1 for all. {} or {at, offset, milliseconds left, received, buffered, cut, lines, entries}.
local head, log, buffer, cut = unpack(KEYS)
local last = number()
local held = redis.call('HMGET', head, 'at', 'offset', 'received', 'buffered')
if not held[1] then return {} end
local lines = last == 0 and {} or redis.call('LRANGE', log, last < 0 and 0 or -last, -1)
return {
  held[1], held[2], redis.call('PTTL', head), held[3], held[4], redis.call('GET', cut), lines, redis.call('LRANGE', buffer, 0, -1)
}
""")

_CLEAR = """
-- What of a session was received until the cut.
local function clear(cut, head, log, buffer, turns)
  redis.call('ZREMRANGEBYSCORE', turns, '-inf', whole(cut))
  local held = redis.call('HMGET', head, 'received', 'buffered')
  if not held[1] or tonumber(held[1]) <= cut then return redis.call('DEL', head, log, buffer) end
  if tonumber(held[2]) <= cut then redis.call('DEL', buffer) end
  for _, line in ipairs(redis.call('LRANGE', log, 0, -1)) do
    local received = header(line).n
    if not received or received <= cut then redis.call('LREM', log, 0, line) end
  end
end
"""

DELETE_SESSION = script(
    _INDEX
    + _CLEAR
    + """
-- KEYS: head log buffer turns session-cut sessions
local head, log, buffer, turns, own_cut, sessions = unpack(KEYS)
local session, cut, keep = argument(), argument(), number()
raise_cut(own_cut, cut, keep)
index(sessions, session, now / 1000 + keep, keep)
clear(tonumber(cut), head, log, buffer, turns)
"""
)

CLEAR_SESSION = script(
    _CLEAR
    + """
-- KEYS: head log buffer turns session-cut sessions. For a user's cut, which is set: it makes an earlier one of the session superfluous.
local head, log, buffer, turns, own_cut, sessions = unpack(KEYS)
local session, cut = argument(), number()
local own = redis.call('GET', own_cut)
if own and tonumber(own) <= cut then redis.call('DEL', own_cut) end
clear(cut, head, log, buffer, turns)
if redis.call('EXISTS', head, turns, own_cut) == 0 then redis.call('ZREM', sessions, session) end
"""
)

FORGET_IN_SESSION = script("""
-- KEYS: log buffer
local log, buffer = unpack(KEYS)
local memory = argument()
for _, line in ipairs(redis.call('LRANGE', log, 0, -1)) do
  local said = header(line)
  if not said.t or said.t == memory or (said.r == 'lira' and has(said.q, memory)) then redis.call('LREM', log, 0, line) end
end
for _, entry in ipairs(redis.call('LRANGE', buffer, 0, -1)) do
  if header(entry).m == memory then redis.call('LREM', buffer, 0, entry) end
end
""")

CUT = script("""
-- KEYS: cut tombstones sessions answers. What the user has, for the steps after this one. A tombstone from before the cut is superfluous.
local key, tombstones, sessions, answers = unpack(KEYS)
local cut, keep = argument(), number()
raise_cut(key, cut, keep)
redis.call('ZREMRANGEBYSCORE', tombstones, '-inf', cut)
return {redis.call('GET', key), redis.call('ZRANGE', sessions, 0, -1), redis.call('ZRANGE', answers, 0, -1)}
""")

ENTOMB = script("""
-- KEYS: tombstones sessions answers. What the user has, for the steps after this one.
local tombstones, sessions, answers = unpack(KEYS)
local memory, keep = argument(), number()
entomb(tombstones, memory, keep)
return {redis.call('ZRANGE', sessions, 0, -1), redis.call('ZRANGE', answers, 0, -1)}
""")

BEGIN = script(
    _INDEX
    + """
-- KEYS: answer answers cut. {0}: a deletion forbids it; {1}: it is the caller's; {2, digest, body}.
local answer, answers, cut = unpack(KEYS)
local key, digest, received, token, lease, keep = argument(), argument(), argument(), argument(), number(), number()
if is_cut(tonumber(received), cut) then return {0} end
local held = redis.call('HMGET', answer, 'digest', 'body', 'token', 'received')
if held[1] and not is_cut(tonumber(held[4]), cut) then
  if not held[2] and held[3] == token then return {1} end
  return {2, held[1], held[2]}
end
redis.call('HSET', answer, 'digest', digest, 'received', received, 'token', token)
redis.call('HDEL', answer, 'body', 'quotes')
redis.call('PEXPIRE', answer, lease)
index(answers, key, now / 1000 + lease, math.max(keep, lease, redis.call('PTTL', answers)))
return {1}
"""
)

KEEP = script(
    _INDEX
    + """
-- KEYS: answer answers cut tombstones
local answer, answers, cut, tombstones = unpack(KEYS)
local key, digest, received, body, ttl, keep = argument(), argument(), argument(), argument(), number(), number()
local quotes = list()
local held = redis.call('HMGET', answer, 'digest', 'body', 'received')
local there = held[1] and not is_cut(tonumber(held[3]), cut)
if there and held[2] then return end
if is_cut(tonumber(received), cut) or entombed(tombstones, quotes) then
  if there and held[1] == digest then
    redis.call('DEL', answer)
    redis.call('ZREM', answers, key)
  end
  return
end
redis.call('HSET', answer, 'digest', digest, 'received', received, 'body', body, 'quotes', cjson.encode({quotes = quotes}))
redis.call('PEXPIRE', answer, ttl)
index(answers, key, now / 1000 + ttl, math.max(keep, ttl, redis.call('PTTL', answers)))
"""
)

RELEASE = script("""
-- KEYS: answer answers
local answer, answers = unpack(KEYS)
if redis.call('HEXISTS', answer, 'body') == 0 then
  redis.call('DEL', answer)
  redis.call('ZREM', answers, argument())
end
""")

CLEAR_ANSWERS = script("""
-- KEYS: answers, then some answers. ARGV: the cut or '', the memory, then the keys of these answers. What was received until the cut, or
-- quotes the memory, goes; what has ended goes from the index.
local answers = KEYS[1]
local cut, memory = number(), argument()
for i = 2, #KEYS do
  local key = argument()
  local held = redis.call('HMGET', KEYS[i], 'received', 'quotes')
  local quotes = held[2] and header(held[2]).quotes
  if not held[1] or (cut and tonumber(held[1]) <= cut) or (not cut and has(quotes, memory)) then
    redis.call('DEL', KEYS[i])
    redis.call('ZREM', answers, key)
  end
end
""")
