-- Writes counters if all of them are still as they were read.
-- KEYS: the turn, then the counters.
-- ARGV: who asks; how many milliseconds they take the turn for if they lose, 0 for
-- not at all; then of each counter what was read ('' where there was nothing), what
-- to write, and how many milliseconds that lives.
-- Gives 0 when it wrote, 1 when a counter was changed, 2 when it is another's turn.
local turn = redis.call('GET', KEYS[1])
if turn and turn ~= ARGV[1] then
	return 2
end
for i = 2, #KEYS do
	if (redis.call('GET', KEYS[i]) or '') ~= ARGV[3 * i - 3] then
		if ARGV[2] ~= '0' then
			redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
		end
		return 1
	end
end
for i = 2, #KEYS do
	redis.call('SET', KEYS[i], ARGV[3 * i - 2], 'PX', ARGV[3 * i - 1])
end
if turn then
	redis.call('DEL', KEYS[1])
end
return 0
