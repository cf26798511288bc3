"""The scripts of the outbox. Each says its KEYS, then its ARGV in the order in which they are read.

Those of a box (one user's) end with its state: {revision, waiting, dead, microseconds until the next is due, -1 for none}. The revision is the time
at the box, so that of two states that arrive in the wrong order at a lane the older one is known.

A head is JSON: of a write `n` received, `c` the memories it carries, `q` those it quotes; of an erasure `e`, its cut.
"""

from __future__ import annotations

from lira_core.stores.redis.lua import script

PROMOTED = 1_000
"""At most so many entries (or users) that have become due are taken over in one step; the rest in the next."""

_BOX = f"""
local order, heads, payloads, attempts, claims, reasons, ready, later, dead, cut, tombstones, carried = unpack(KEYS)

local function state()
  local delay = -1
  if redis.call('EXISTS', ready) == 1 then delay = 0
  else
    local first = redis.call('ZRANGE', later, 0, 0, 'WITHSCORES')
    if first[2] then delay = math.max(tonumber(first[2]) - now, 0) end
  end
  return {{now, redis.call('ZCARD', ready) + redis.call('ZCARD', later), redis.call('ZCARD', dead), delay}}
end

local function drop(id)
  for _, key in ipairs({{heads, payloads, attempts, claims, reasons}}) do redis.call('HDEL', key, id) end
  for _, key in ipairs({{order, ready, later, dead}}) do redis.call('ZREM', key, id) end
end

local function waits(id) return redis.call('ZSCORE', ready, id) or redis.call('ZSCORE', later, id) end

local function make_ready(id)
  redis.call('ZADD', ready, redis.call('ZSCORE', order, id), id)
  redis.call('ZREM', later, id)
  redis.call('ZREM', dead, id)
end

local function promote()
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', later, '-inf', whole(now), 'LIMIT', 0, {PROMOTED})) do make_ready(id) end
end

local function is_forbidden(head)
  return head.n and (is_cut(head.n, cut) or entombed(tombstones, head.c) or entombed(tombstones, head.q))
end
"""

PUT = script(
    _BOX
    + """
-- Of a write: 0 and nothing else when a deletion forbids it.
local id, head, payload = argument(), argument(), argument()
local new, held = header(head), redis.call('HGET', heads, id)
local old = held and header(held)
if is_forbidden(new) or (new.n and old and old.e) then return 0 end
if not held then
  redis.call('HSET', heads, id, head)
  redis.call('HSET', payloads, id, payload)
  redis.call('ZADD', order, whole(now), id)
  make_ready(id)
elseif new.e and (not old.e or old.e < new.e) then
  -- It takes the place of the write that it forbids, or of itself with a lower cut. Whoever holds that does not end this one.
  redis.call('HSET', heads, id, head)
  redis.call('HSET', payloads, id, payload)
  redis.call('HDEL', reasons, id)
  if redis.call('HEXISTS', claims, id) == 1 and redis.call('ZSCORE', later, id) then redis.call('HSET', claims, id, 'renewed')
  else
    redis.call('HDEL', attempts, id)
    make_ready(id)
  end
end
return state()
"""
)

TAKE = script(
    _BOX
    + """
-- ARGV: at most so many, for so long (microseconds). The state and {id, payload, attempts} of each, the oldest first.
local limit, lease = number(), number()
promote()
local taken = {}
while #taken < limit do
  local ids = redis.call('ZRANGE', ready, 0, limit - #taken - 1)
  if #ids == 0 then break end
  for _, id in ipairs(ids) do
    if is_forbidden(header(redis.call('HGET', heads, id) or '')) then drop(id)
    else
      redis.call('HSET', claims, id, 'held')
      redis.call('ZREM', ready, id)
      redis.call('ZADD', later, whole(now + lease), id)
      taken[#taken + 1] = {id, redis.call('HGET', payloads, id), redis.call('HINCRBY', attempts, id, 1)}
    end
  end
end
return {state(), taken}
"""
)

DONE = script(
    _BOX
    + """
for _, id in ipairs(list()) do
  if redis.call('HGET', claims, id) == 'renewed' then
    redis.call('HDEL', claims, id)
    redis.call('HDEL', attempts, id)
    make_ready(id)
  else drop(id) end
end
return state()
"""
)

RETRY = script(
    _BOX
    + """
-- ARGV: in so long (microseconds), 1 to blame it, ids. Only a claim that was not given back yet is taken off: the same call made twice counts once.
local after, blame = number(), number()
for _, id in ipairs(list()) do
  if waits(id) then
    if blame == 0 and redis.call('HEXISTS', claims, id) == 1 then redis.call('HINCRBY', attempts, id, -1) end
    redis.call('HDEL', claims, id)
    redis.call('ZREM', ready, id)
    redis.call('ZADD', later, whole(now + after), id)
  end
end
promote()
return state()
"""
)

BURY = script(
    _BOX
    + """
local reason = argument()
for _, id in ipairs(list()) do
  if waits(id) then
    redis.call('ZADD', dead, whole(now), id)
    redis.call('HSET', reasons, id, reason)
    redis.call('HDEL', claims, id)
    redis.call('ZREM', ready, id)
    redis.call('ZREM', later, id)
  end
end
return state()
"""
)

DEAD = script(
    _BOX
    + """
-- ARGV: at most so many. The state and {id, attempts, reason, when} of each, the oldest first.
local found = {}
local buried = redis.call('ZRANGE', dead, 0, number() - 1, 'WITHSCORES')
for i = 1, #buried, 2 do
  found[#found + 1] = {buried[i], redis.call('HGET', attempts, buried[i]) or '0', redis.call('HGET', reasons, buried[i]) or '', buried[i + 1]}
end
return {state(), found}
"""
)

REVIVE = script(
    _BOX
    + """
-- ARGV: at most so many. The state and how many.
local ids = redis.call('ZRANGE', dead, 0, number() - 1)
for _, id in ipairs(ids) do
  redis.call('HDEL', attempts, id)
  redis.call('HDEL', reasons, id)
  make_ready(id)
end
return {state(), #ids}
"""
)

ENTOMB = script(
    _BOX
    + """
-- 1 when one that carried the memory was found already.
local memory, keep = argument(), number()
entomb(tombstones, memory, keep)
return redis.call('ZSCORE', carried, memory) and 1 or 0
"""
)

CUT = script(
    _BOX
    + """
-- The highest cut. A tombstone from before it is superfluous.
local received, keep = argument(), number()
raise_cut(cut, received, keep)
redis.call('ZREMRANGEBYSCORE', tombstones, '-inf', received)
redis.call('ZREMRANGEBYSCORE', carried, '-inf', received)
return redis.call('GET', cut)
"""
)

REMOVE = script(
    _BOX
    + """
-- ARGV: the memory that these carried or '', how long to remember that, ids.
local memory, keep = argument(), number()
if memory ~= '' then entomb(carried, memory, keep) end
for _, id in ipairs(list()) do
  local head = redis.call('HGET', heads, id)
  if head and not header(head).e then drop(id) end
end
return state()
"""
)

_LANES = """
local ready, later, served, counts, revisions, emptied = unpack(KEYS)
"""

PEEK = script(
    _LANES
    + f"""
-- ARGV: at most so many, how long the last turn and the revision of whoever has nothing left are kept, and by how much who is new comes before
-- those served now (microseconds). User and turn of the first who have something due.
local limit, kept, ahead = number(), number(), number()
for _, user in ipairs(redis.call('ZRANGEBYSCORE', emptied, '-inf', whole(now - kept), 'LIMIT', 0, {PROMOTED})) do
  for _, key in ipairs({{emptied, revisions, served}}) do redis.call('ZREM', key, user) end
end
for _, user in ipairs(redis.call('ZRANGEBYSCORE', later, '-inf', whole(now), 'LIMIT', 0, {PROMOTED})) do
  redis.call('ZADD', ready, redis.call('ZSCORE', served, user) or whole(now - ahead), user)
  redis.call('ZREM', later, user)
end
return redis.call('ZRANGE', ready, 0, limit - 1, 'WITHSCORES')
"""
)

LOOK = script(
    _LANES
    + """
-- Whoever claims in so long (microseconds) looks into these users' boxes, unless something else is known until then.
local after = number()
while position <= #ARGV do
  local user = argument()
  if not redis.call('ZSCORE', ready, user) then redis.call('ZADD', later, 'LT', whole(now + after), user) end
end
"""
)

TELL = script(
    _LANES
    + """
-- ARGV: by how much who is new comes before those served now, by how much a clock may be ahead (microseconds), then of each user: id, state, 1 when
-- served. A state older than the one that is known is passed over, unless a clock was set back.
local new, slack = number(), number()
while position <= #ARGV do
  local user, revision, waiting, dead, delay, now_served = argument(), number(), number(), number(), number(), number()
  if now_served == 1 then
    redis.call('ZADD', served, whole(now), user)
    redis.call('ZADD', ready, 'XX', whole(now), user)
  end
  local known = tonumber(redis.call('ZSCORE', revisions, user) or '-1')
  if known < revision or known > now + slack then
    redis.call('ZADD', revisions, whole(revision), user)
    if waiting + dead > 0 then
      redis.call('HSET', counts, user, whole(waiting) .. ' ' .. whole(dead))
      redis.call('ZREM', emptied, user)
    else
      redis.call('HDEL', counts, user)
      redis.call('ZADD', emptied, whole(now), user)
    end
    if delay == 0 then
      redis.call('ZADD', ready, 'NX', redis.call('ZSCORE', served, user) or whole(now - new), user)
      redis.call('ZREM', later, user)
    else
      redis.call('ZREM', ready, user)
      if delay > 0 then redis.call('ZADD', later, whole(now + delay), user) else redis.call('ZREM', later, user) end
    end
  end
end
"""
)

COUNT = script(
    _LANES
    + """
local waiting, dead = 0, 0
for _, held in ipairs(redis.call('HVALS', counts)) do
  local one, other = string.match(held, '(%d+) (%d+)')
  waiting, dead = waiting + one, dead + other
end
return {waiting, dead}
"""
)
