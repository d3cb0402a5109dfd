import { UNLIMITED } from '../domain/rate-limits';

const MINUTE_S = 60;
const DAY_S = 86_400;

/**
 * Counts a batch in, all of it or nothing, by the server's clock. What it does is what the statement of
 * ./authorization does with rows:
 *
 * - A counter is a text, `minute count day count`, which says nothing when its windows are over, and is gone then.
 *   One window ahead of the clock it still counts, further ahead it is the trace of a clock that was set back.
 * - Only what passes is counted. What passed by an institution's keys is then counted on the institution's
 *   counter; where that one is full, its keys do not count at all.
 *
 * KEYS: counters, then institutions. ARGV: how many counters, the limits of institutions by minute and day; then of
 * each counter how many requests, its limits, and which of the institutions it shares with (0: none). Answers
 * with five numbers for each key: minute, its count, day, its count, and how many passed.
 */
export const COUNT_SCRIPT = `
local seconds = tonumber(redis.call('TIME')[1])
local this_minute = math.floor(seconds / ${MINUTE_S})
local this_day = math.floor(seconds / ${DAY_S})

local function window(counted, count, current)
  if counted == current or counted == current + 1 then return counted, count end
  return current, 0
end

local function read(key)
  local text = redis.call('GET', key)
  local minute, minute_count, day, day_count
  if text then
    minute, minute_count, day, day_count = string.match(text, '^(%d+) (%d+) (%d+) (%d+)$')
  end
  local state = {}
  state.minute, state.minute_count = window(tonumber(minute), tonumber(minute_count), this_minute)
  state.day, state.day_count = window(tonumber(day), tonumber(day_count), this_day)
  return state
end

local answer = {}

local function count_in(key, state, wanted, minute_limit, day_limit)
  local room = math.max(0, math.min(wanted, minute_limit - state.minute_count, day_limit - state.day_count))
  state.minute_count = state.minute_count + room
  state.day_count = state.day_count + room
  if room > 0 then
    local text = string.format('%d %d %d %d', state.minute, state.minute_count, state.day, state.day_count)
    local ends = (state.day + 1) * ${DAY_S} + ${MINUTE_S}
    if day_limit == ${UNLIMITED} then ends = (state.minute + 2) * ${MINUTE_S} end
    redis.call('SET', key, text, 'EXAT', string.format('%d', ends))
  end
  for _, number in ipairs({ state.minute, state.minute_count, state.day, state.day_count, room }) do
    answer[#answer + 1] = number
  end
  return room
end

local counters = tonumber(ARGV[1])
local shared_minute_limit = tonumber(ARGV[2])
local shared_day_limit = tonumber(ARGV[3])
local shared = {}
for at = counters + 1, #KEYS do
  local state = read(KEYS[at])
  state.is_full = state.minute_count >= shared_minute_limit or state.day_count >= shared_day_limit
  state.wanted = 0
  shared[at - counters] = state
end
for at = 1, counters do
  local first = 4 * at
  local institution = shared[tonumber(ARGV[first + 3])]
  local wanted = tonumber(ARGV[first])
  if institution and institution.is_full then wanted = 0 end
  local passed = count_in(KEYS[at], read(KEYS[at]), wanted, tonumber(ARGV[first + 1]), tonumber(ARGV[first + 2]))
  if institution then institution.wanted = institution.wanted + passed end
end
for at, state in ipairs(shared) do
  count_in(KEYS[counters + at], state, state.wanted, shared_minute_limit, shared_day_limit)
end
return answer
`;
