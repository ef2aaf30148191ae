// SPDX-License-Identifier: MIT
//
// expected_properties.hpp: the properties of each description that properties_test.cpp expects, without default values.

#ifndef FOREBAY_TESTS_DESCRIBE_EXPECTED_PROPERTIES_HPP
#define FOREBAY_TESTS_DESCRIBE_EXPECTED_PROPERTIES_HPP

namespace forebay_test::expected {

inline constexpr const char* indexed =
    R"(data
  range 10
  epochs=1 size=10
  | range: range 10 | is_source=1
seed(7)
  ... > seed 7
  epochs=1 size=10 seed=7
repeat()
  ...
  endless epochs size=10 ends=0
  | repeat: repeat |
repeat(3)
  ...
  epochs=3 size=10
  | repeat: repeat 3 |
seamless()
  ... > seamless 1
  epochs=1 size=10
  | seamless: seamless |
take(4)
  ... > take 4
  epochs=1 size=4
  | take: take 4 |
skip(4)
  ... > skip 4
  epochs=1 size=6
  | skip: skip 4 |
step_by(4)
  ... > step_by 4
  epochs=1 size=3
  | step_by: step_by 4 |
shard(1, 3)
  ... > shard 1 3
  epochs=1 size=3 shard=12728851363016036616 shards=3
  elastic: range 10 > shard
  | shard: shard 1 3 |
shard(1, 3, drop)
  ... > shard, drop 1 3
  epochs=1 size=3 shard=12728851363016036616 shards=3
  elastic: range 10 > shard, drop
  | shard: shard, drop 1 3 | inputs=3
shard(1, 3, repeat)
  ... > shard, repeat 1 3
  epochs=1 size=4 shard=12728851363016036616 shards=3
  elastic: range 10 > shard, repeat
  | shard: shard, repeat 1 3 | inputs=3
concatenate
  (range 10) and (range 5) > concatenate
  epochs=1 size=15
  | range: range 5 | is_source=1
  | concatenate: concatenate |
filter
  ... > filter
  epochs=1
  | filter: filter |
shuffle(8)
  ... > shuffle 8
  epochs=1 size=10 random_stages=1
  | shuffle: shuffle 8 | inputs=8
map
  ... > map
  epochs=1 size=10
  | map: map |
map with a Context
  ... > map with a Context
  epochs=1 size=10 random_stages=1
  | map: map with a Context |
map(4)
  ... > map
  epochs=1 size=10 has_threads=1
  | map: map | threads=4 ahead=16 chunk=32 takes_fused=1 is_complete=1
map, skip
  ... > map, skips 6
  epochs=1 has_threads=1
  | map: map, skips 6 | threads=2 ahead=8 chunk=32 takes_fused=1
map, redirect
  ... > map with a Context, skips 18446744073709551615
  epochs=1 random_stages=1
  | map: map with a Context, skips 18446744073709551615 |
map, any_order
  ... > map
  epochs=1 size=10 has_threads=1
  cannot resume: a map in any order has no position
  | map: map | threads=2 ahead=8 chunk=5 is_complete=1
map, all threads
  ... > map
  epochs=1 size=10 has_threads=1
  | map: map | threads=1 ahead=7 chunk=32 takes_fused=1 is_complete=1
flat_map
  ... > flat_map
  epochs=1
  | flat_map: flat_map |
flat_map with a Context
  ... > flat_map with a Context
  epochs=1 random_stages=1
  | flat_map: flat_map with a Context |
flat_map of data, skip
  ... > flat_map of data sets, skips 6
  epochs=1 random_stages=1
  | flat_map: flat_map of data sets, skips 6 |
interleave(4, 2)
  ... > interleave 4 2
  epochs=1
  | interleave: interleave 4 2 |
interleave(1, 2)
  ... > interleave
  epochs=1
  | interleave: interleave |
interleave, prefetch
  ... > interleave 4 2, prefetched, skips 6
  epochs=1 has_threads=1
  | interleave: interleave 4 2, prefetched, skips 6 | threads=4 outputs=32
apply
  ... > apply
  epochs=1
  | apply: apply |
apply with a Context
  ... > apply with a Context
  epochs=1 random_stages=1
  | apply: apply with a Context |
apply, replayed
  ... > apply
  epochs=1
  | apply: apply, replayed |
enumerate
  ... > enumerate
  epochs=1
  | enumerate: enumerate |
batch(3)
  ... > batch 3
  epochs=1 size=4 batched=1 unit=batches
  | batch: batch 3 | inputs=3 elements=3
batch(3), drop
  ... > batch 3, drop
  epochs=1 size=3 batched=1 unit=batches
  | batch: batch 3, drop | inputs=3 elements=3
padded_batch(3)
  ... > padded_batch 3
  epochs=1 size=4 batched=1 unit=batches
  | padded_batch: padded_batch 3 | inputs=3 elements=3
stacked_batch(3), drop
  ... > stacked_batch 3, drop
  epochs=1 size=3 batched=1 unit=batches
  | stacked_batch: stacked_batch 3, drop | inputs=3 elements=3
prefetch(6)
  ...
  epochs=1 size=10 has_threads=1
  | prefetch: prefetch 6 | threads=1 ahead=3 chunk=2
bucket_by_length
  ... > bucket_by_length 2 8 in 4 2 1
  epochs=1 batched=1 unit=batches
  | bucket_by_length: bucket_by_length 2 8 in 4 2 1 | inputs=7 elements=4
bucket_by_length, all options
  ... > bucket_by_length 2 in 4 2 up to 9, drop, skips 6
  epochs=1 batched=1 unit=batches
  | bucket_by_length: bucket_by_length 2 in 4 2 up to 9, drop, skips 6 | inputs=6 elements=4
split
  ... > split 1 824633720833 274877906945
  epochs=1
  | split: split, part 1 |
batch_by_cost
  ... > batch_by_cost 9
  epochs=1 batched=1 unit=batches
  | batch_by_cost: batch_by_cost 9 | inputs=9 elements=9
batch_by_cost, all options
  ... > batch_by_cost 9 of the largest, at most 4, sorted 8, too costly alone, drop
  epochs=1 random_stages=1 batched=1 unit=batches
  | batch_by_cost: batch_by_cost 9 of the largest, at most 4, sorted 8, too costly alone, drop | inputs=12 elements=4
batch_by_cost, in order
  ... > batch_by_cost 9, sorted 8 in order
  epochs=1 batched=1 unit=batches
  | batch_by_cost: batch_by_cost 9, sorted 8 in order | inputs=17 elements=9
unbatch
  ... > batch 3 > unbatch
  epochs=1 batched=1
  | batch: batch 3 | inputs=3 elements=3
  | unbatch: unbatch |
named
  ...
  epochs=1 size=10
  | name, of a stage: range 10 | is_source=1
traced
  ...
  epochs=1 size=10 traced=1
zip
  (range 10) and (range 5) > zip
  epochs=1 size=5
  | range: range 5 | is_source=1
  | zip: zip |
mix
  ((range 10) and (range 5)) and (range 6) > mix 733007751851 366503875926 0
  epochs=1 size=15 random_stages=1
  | range: range 5 | is_source=1
  | range: range 6 | is_source=1
  | mix: mix |
mix until the first has ended
  (range 10) and (range 5) > mix 733007751851 366503875926, first_exhausted
  epochs=1 random_stages=1
  | range: range 5 | is_source=1
  | mix: mix |
mix that restarts
  (range 10) and (range 5) > mix 733007751851 366503875926, restart
  epochs=1 random_stages=1
  | range: range 5 | is_source=1
  | mix: mix |
)";

inline constexpr const char* repeated =
    R"(data
  range 10 > shard 1 2 > shuffle 4
  epochs=2 size=5 random_stages=1 shard=13752686981196726545 shards=2
  | range: range 10 | is_source=1
  | shard: shard 1 2 |
  | shuffle: shuffle 4 | inputs=4
  | repeat: repeat 2 |
seed(7)
  ... > seed 7
  epochs=2 size=5 seed=7 random_stages=1 shard=13752686981196726545 shards=2
repeat()
  ...
  endless epochs size=5 random_stages=1 shard=13752686981196726545 ends=0 shards=2
  | repeat: repeat |
repeat(3)
  ...
  epochs=6 size=5 random_stages=1 shard=13752686981196726545 shards=2
  | repeat: repeat 3 |
seamless()
  ... > seamless 2
  epochs=1 size=10 random_stages=1 salt=13891143542405138894 shards=2
  | seamless: seamless |
take(4)
  ... > seamless 2 > take 4
  epochs=1 size=4 random_stages=1 salt=13891143542405138894 shards=2
  | take: take 4 |
skip(4)
  ... > seamless 2 > skip 4
  epochs=1 size=6 random_stages=1 salt=13891143542405138894 shards=2
  | skip: skip 4 |
step_by(4)
  ... > step_by 4
  epochs=2 size=2 random_stages=1 shard=13752686981196726545 shards=2
  | step_by: step_by 4 |
shard(1, 3)
  ... > shard 1 3
  epochs=2 size=2 random_stages=1 shard=3684616808542027972 shards=3
  elastic: range 10 > shard 1 2 > shuffle 4 > shard
  | shard: shard 1 3 |
shard(1, 3, drop)
  ... > shard, drop 1 3
  epochs=2 size=1 random_stages=1 shard=3684616808542027972 shards=3
  elastic: range 10 > shard 1 2 > shuffle 4 > shard, drop
  | shard: shard, drop 1 3 | inputs=3
shard(1, 3, repeat)
  ... > shard, repeat 1 3
  epochs=2 size=2 random_stages=1 shard=3684616808542027972 shards=3
  elastic: range 10 > shard 1 2 > shuffle 4 > shard, repeat
  | shard: shard, repeat 1 3 | inputs=3
concatenate
  (range 10 > shard 1 2 > shuffle 4 > seamless 2) and (range 5) > concatenate
  epochs=1 size=15 random_stages=1 salt=13891143542405138894 shards=2
  | range: range 5 | is_source=1
  | concatenate: concatenate |
filter
  ... > filter
  epochs=2 random_stages=1 shard=13752686981196726545 shards=2
  | filter: filter |
shuffle(8)
  ... > shuffle 8
  epochs=2 size=5 random_stages=2 shard=13752686981196726545 shards=2
  | shuffle: shuffle 8 | inputs=8
map
  ... > map
  epochs=2 size=5 random_stages=1 shard=13752686981196726545 shards=2
  | map: map |
map with a Context
  ... > map with a Context
  epochs=2 size=5 random_stages=2 shard=13752686981196726545 shards=2
  | map: map with a Context |
map(4)
  ... > map
  epochs=2 size=5 random_stages=1 shard=13752686981196726545 has_threads=1 shards=2
  | map: map | threads=4 ahead=16 chunk=32 takes_fused=1 is_complete=1 works_on_inputs=1
map, skip
  ... > map, skips 6
  epochs=2 random_stages=1 shard=13752686981196726545 has_threads=1 shards=2
  | map: map, skips 6 | threads=2 ahead=8 chunk=32 takes_fused=1 works_on_inputs=1
map, redirect
  ... > map with a Context, skips 18446744073709551615
  epochs=2 random_stages=2 shard=13752686981196726545 shards=2
  | map: map with a Context, skips 18446744073709551615 |
map, any_order
  ... > map
  epochs=2 size=5 random_stages=1 shard=13752686981196726545 has_threads=1 shards=2
  cannot resume: a map in any order has no position
  | map: map | threads=2 ahead=8 chunk=5 is_complete=1 works_on_inputs=1
map, all threads
  ... > map
  epochs=2 size=5 random_stages=1 shard=13752686981196726545 has_threads=1 shards=2
  | map: map | threads=1 ahead=7 chunk=32 takes_fused=1 is_complete=1 works_on_inputs=1
flat_map
  ... > flat_map
  epochs=2 random_stages=1 salt=13891143542405138894 shards=2
  | flat_map: flat_map |
flat_map with a Context
  ... > flat_map with a Context
  epochs=2 random_stages=2 salt=13891143542405138894 shards=2
  | flat_map: flat_map with a Context |
flat_map of data, skip
  ... > flat_map of data sets, skips 6
  epochs=2 random_stages=2 salt=13891143542405138894 shards=2
  | flat_map: flat_map of data sets, skips 6 |
interleave(4, 2)
  ... > interleave 4 2
  epochs=2 random_stages=1 salt=13891143542405138894 shards=2
  | interleave: interleave 4 2 |
interleave(1, 2)
  ... > interleave
  epochs=2 random_stages=1 salt=13891143542405138894 shards=2
  | interleave: interleave |
interleave, prefetch
  ... > interleave 4 2, prefetched, skips 6
  epochs=2 random_stages=1 salt=13891143542405138894 has_threads=1 shards=2
  | interleave: interleave 4 2, prefetched, skips 6 | threads=4 outputs=32
apply
  ... > apply
  epochs=2 random_stages=1 salt=13891143542405138894 shards=2
  | apply: apply |
apply with a Context
  ... > apply with a Context
  epochs=2 random_stages=2 salt=13891143542405138894 shards=2
  | apply: apply with a Context |
apply, replayed
  ... > apply
  epochs=2 random_stages=1 salt=13891143542405138894 shards=2
  | apply: apply, replayed |
enumerate
  ... > enumerate
  epochs=2 random_stages=1 salt=13891143542405138894 shards=2
  | enumerate: enumerate |
batch(3)
  ... > batch 3
  epochs=2 size=2 random_stages=1 salt=13891143542405138894 batched=1 unit=batches shards=2
  | batch: batch 3 | inputs=3 elements=3
batch(3), drop
  ... > batch 3, drop
  epochs=2 size=1 random_stages=1 salt=13891143542405138894 batched=1 unit=batches shards=2
  | batch: batch 3, drop | inputs=3 elements=3
padded_batch(3)
  ... > padded_batch 3
  epochs=2 size=2 random_stages=1 salt=13891143542405138894 batched=1 unit=batches shards=2
  | padded_batch: padded_batch 3 | inputs=3 elements=3
stacked_batch(3), drop
  ... > stacked_batch 3, drop
  epochs=2 size=1 random_stages=1 salt=13891143542405138894 batched=1 unit=batches shards=2
  | stacked_batch: stacked_batch 3, drop | inputs=3 elements=3
prefetch(6)
  ...
  epochs=2 size=5 random_stages=1 shard=13752686981196726545 has_threads=1 shards=2
  | prefetch: prefetch 6 | threads=1 ahead=3 chunk=2
bucket_by_length
  ... > bucket_by_length 2 8 in 4 2 1
  epochs=2 random_stages=1 salt=13891143542405138894 batched=1 unit=batches shards=2
  | bucket_by_length: bucket_by_length 2 8 in 4 2 1 | inputs=7 elements=4
bucket_by_length, all options
  ... > bucket_by_length 2 in 4 2 up to 9, drop, skips 6
  epochs=2 random_stages=1 salt=13891143542405138894 batched=1 unit=batches shards=2
  | bucket_by_length: bucket_by_length 2 in 4 2 up to 9, drop, skips 6 | inputs=6 elements=4
split
  ... > split 1 824633720833 274877906945
  epochs=2 random_stages=1 shard=13752686981196726545 shards=2
  | split: split, part 1 |
batch_by_cost
  ... > batch_by_cost 9
  epochs=2 random_stages=1 salt=13891143542405138894 batched=1 unit=batches shards=2
  | batch_by_cost: batch_by_cost 9 | inputs=9 elements=9
batch_by_cost, all options
  ... > batch_by_cost 9 of the largest, at most 4, sorted 8, too costly alone, drop
  epochs=2 random_stages=2 salt=13891143542405138894 batched=1 unit=batches shards=2
  | batch_by_cost: batch_by_cost 9 of the largest, at most 4, sorted 8, too costly alone, drop | inputs=12 elements=4
batch_by_cost, in order
  ... > batch_by_cost 9, sorted 8 in order
  epochs=2 random_stages=1 salt=13891143542405138894 batched=1 unit=batches shards=2
  | batch_by_cost: batch_by_cost 9, sorted 8 in order | inputs=17 elements=9
unbatch
  ... > batch 3 > unbatch
  epochs=2 random_stages=1 salt=13891143542405138894 batched=1 shards=2
  | batch: batch 3 | inputs=3 elements=3
  | unbatch: unbatch |
named
  ...
  epochs=2 size=5 random_stages=1 shard=13752686981196726545 shards=2
  | name, of a stage: repeat 2 |
traced
  ...
  epochs=2 size=5 random_stages=1 shard=13752686981196726545 traced=1 shards=2
zip
  (range 10 > shard 1 2 > shuffle 4 > seamless 2) and (range 5) > zip
  epochs=1 size=5 random_stages=1 salt=13891143542405138894 shards=2
  | range: range 5 | is_source=1
  | zip: zip |
mix
  ((range 10 > shard 1 2 > shuffle 4 > seamless 2) and (range 5)) and (range 6) > mix 733007751851 366503875926 0
  epochs=1 size=15 random_stages=2 salt=13891143542405138894 shards=2
  | range: range 5 | is_source=1
  | range: range 6 | is_source=1
  | mix: mix |
mix until the first has ended
  (range 10 > shard 1 2 > shuffle 4 > seamless 2) and (range 5) > mix 733007751851 366503875926, first_exhausted
  epochs=1 random_stages=2 salt=13891143542405138894 shards=2
  | range: range 5 | is_source=1
  | mix: mix |
mix that restarts
  (range 10 > shard 1 2 > shuffle 4 > seamless 2) and (range 5) > mix 733007751851 366503875926, restart
  epochs=1 random_stages=2 salt=13891143542405138894 shards=2
  | range: range 5 | is_source=1
  | mix: mix |
)";

inline constexpr const char* threads =
    R"(data
  range 20 > filter > shard 1 2 > map
  epochs=1 shard=13752686981196726545 has_threads=1 shards=2
  elastic: range 20 > filter > shard > map
  | range: range 20 | is_source=1
  | filter: filter |
  | shard: shard 1 2 |
  | map: map | threads=3 ahead=6 chunk=32 takes_fused=1 is_complete=1 works_on_inputs=1
seed(7)
  ... > seed 7
  epochs=1 seed=7 shard=13752686981196726545 has_threads=1 shards=2
repeat()
  ...
  endless epochs shard=13752686981196726545 has_threads=1 ends=0 shards=2
  elastic: ...
  | repeat: repeat |
repeat(3)
  ...
  epochs=3 shard=13752686981196726545 has_threads=1 shards=2
  elastic: ...
  | repeat: repeat 3 |
seamless()
  ... > seamless 1
  epochs=1 salt=13891143542405138894 has_threads=1 shards=2
  | seamless: seamless |
take(4)
  ... > take 4
  epochs=1 shard=13752686981196726545 has_threads=1 shards=2
  | take: take 4 |
skip(4)
  ... > skip 4
  epochs=1 shard=13752686981196726545 has_threads=1 shards=2
  | skip: skip 4 |
step_by(4)
  ... > step_by 4
  epochs=1 shard=13752686981196726545 has_threads=1 shards=2
  | step_by: step_by 4 |
shard(1, 3)
  ... > shard 1 3
  epochs=1 shard=3684616808542027972 has_threads=1 shards=3
  elastic: range 20 > filter > shard 1 2 > map > shard
  | shard: shard 1 3 |
shard(1, 3, drop)
  ... > shard, drop 1 3
  epochs=1 shard=3684616808542027972 has_threads=1 shards=3
  elastic: range 20 > filter > shard 1 2 > map > shard, drop
  | shard: shard, drop 1 3 | inputs=3
shard(1, 3, repeat)
  ... > shard, repeat 1 3
  epochs=1 shard=3684616808542027972 has_threads=1 shards=3
  elastic: range 20 > filter > shard 1 2 > map > shard, repeat
  | shard: shard, repeat 1 3 | inputs=3
concatenate
  (range 20 > filter > shard 1 2 > map) and (range 5) > concatenate
  epochs=1 salt=13891143542405138894 has_threads=1 shards=2
  | range: range 5 | is_source=1
  | concatenate: concatenate |
filter
  ... > filter
  epochs=1 shard=13752686981196726545 has_threads=1 shards=2
  | filter: filter |
shuffle(8)
  ... > shuffle 8
  epochs=1 random_stages=1 shard=13752686981196726545 has_threads=1 shards=2
  | shuffle: shuffle 8 | inputs=8
map
  ... > map
  epochs=1 shard=13752686981196726545 has_threads=1 shards=2
  elastic: ... > map
  | map: map |
map with a Context
  ... > map with a Context
  epochs=1 random_stages=1 shard=13752686981196726545 has_threads=1 shards=2
  elastic: ... > map with a Context
  | map: map with a Context |
map(4)
  ... > map
  epochs=1 shard=13752686981196726545 has_threads=1 shards=2
  elastic: ... > map
  | map: map | threads=4 ahead=16 chunk=32 takes_fused=1 is_complete=1 works_on_inputs=1
map, skip
  ... > map, skips 6
  epochs=1 shard=13752686981196726545 has_threads=1 shards=2
  | map: map, skips 6 | threads=2 ahead=8 chunk=32 takes_fused=1 works_on_inputs=1
map, redirect
  ... > map with a Context, skips 18446744073709551615
  epochs=1 random_stages=1 shard=13752686981196726545 has_threads=1 shards=2
  | map: map with a Context, skips 18446744073709551615 |
map, any_order
  ... > map
  epochs=1 shard=13752686981196726545 has_threads=1 shards=2
  elastic: ... > map
  cannot resume: a map in any order has no position
  | map: map | threads=2 ahead=8 chunk=5 is_complete=1 works_on_inputs=1
map, all threads
  ... > map
  epochs=1 shard=13752686981196726545 has_threads=1 shards=2
  elastic: ... > map
  | map: map | threads=1 ahead=7 chunk=32 takes_fused=1 is_complete=1 works_on_inputs=1
flat_map
  ... > flat_map
  epochs=1 salt=13891143542405138894 has_threads=1 shards=2
  | flat_map: flat_map |
flat_map with a Context
  ... > flat_map with a Context
  epochs=1 random_stages=1 salt=13891143542405138894 has_threads=1 shards=2
  | flat_map: flat_map with a Context |
flat_map of data, skip
  ... > flat_map of data sets, skips 6
  epochs=1 random_stages=1 salt=13891143542405138894 has_threads=1 shards=2
  | flat_map: flat_map of data sets, skips 6 |
interleave(4, 2)
  ... > interleave 4 2
  epochs=1 salt=13891143542405138894 has_threads=1 shards=2
  | interleave: interleave 4 2 |
interleave(1, 2)
  ... > interleave
  epochs=1 salt=13891143542405138894 has_threads=1 shards=2
  | interleave: interleave |
interleave, prefetch
  ... > interleave 4 2, prefetched, skips 6
  epochs=1 salt=13891143542405138894 has_threads=1 shards=2
  | interleave: interleave 4 2, prefetched, skips 6 | threads=4 outputs=32
apply
  ... > apply
  epochs=1 salt=13891143542405138894 has_threads=1 shards=2
  | apply: apply |
apply with a Context
  ... > apply with a Context
  epochs=1 random_stages=1 salt=13891143542405138894 has_threads=1 shards=2
  | apply: apply with a Context |
apply, replayed
  ... > apply
  epochs=1 salt=13891143542405138894 has_threads=1 shards=2
  | apply: apply, replayed |
enumerate
  ... > enumerate
  epochs=1 salt=13891143542405138894 has_threads=1 shards=2
  | enumerate: enumerate |
batch(3)
  ... > batch 3
  epochs=1 salt=13891143542405138894 has_threads=1 batched=1 unit=batches shards=2 batched_shards=1
  elastic: ... > batch 6 of all shards
  | map: map | threads=3 ahead=6 chunk=3 takes_fused=1 is_complete=1 works_on_inputs=1
  | batch: batch 3 | inputs=3 elements=3
batch(3), drop
  ... > batch 3, drop
  epochs=1 salt=13891143542405138894 has_threads=1 batched=1 unit=batches shards=2 batched_shards=1
  elastic: ... > batch 6, drop of all shards
  | map: map | threads=3 ahead=6 chunk=3 takes_fused=1 is_complete=1 works_on_inputs=1
  | batch: batch 3, drop | inputs=3 elements=3
padded_batch(3)
  ... > padded_batch 3
  epochs=1 salt=13891143542405138894 has_threads=1 batched=1 unit=batches shards=2 batched_shards=1
  elastic: ... > padded_batch 6 of all shards
  | map: map | threads=3 ahead=6 chunk=3 takes_fused=1 is_complete=1 works_on_inputs=1
  | padded_batch: padded_batch 3 | inputs=3 collates=1 elements=3
stacked_batch(3), drop
  ... > stacked_batch 3, drop
  epochs=1 salt=13891143542405138894 has_threads=1 batched=1 unit=batches shards=2 batched_shards=1
  elastic: ... > stacked_batch 6, drop of all shards
  | map: map | threads=3 ahead=6 chunk=3 takes_fused=1 is_complete=1 works_on_inputs=1
  | stacked_batch: stacked_batch 3, drop | inputs=3 collates=1 elements=3
prefetch(6)
  ...
  epochs=1 shard=13752686981196726545 has_threads=1 shards=2
  elastic: ...
  | map: map | threads=3 ahead=6 chunk=32 extra_ahead=6 takes_fused=1 is_complete=1 works_on_inputs=1
  | prefetch: prefetch 6 |
bucket_by_length
  ... > bucket_by_length 2 8 in 4 2 1
  epochs=1 salt=13891143542405138894 has_threads=1 batched=1 unit=batches shards=2
  | bucket_by_length: bucket_by_length 2 8 in 4 2 1 | inputs=7 elements=4
bucket_by_length, all options
  ... > bucket_by_length 2 in 4 2 up to 9, drop, skips 6
  epochs=1 salt=13891143542405138894 has_threads=1 batched=1 unit=batches shards=2
  | bucket_by_length: bucket_by_length 2 in 4 2 up to 9, drop, skips 6 | inputs=6 elements=4
split
  ... > split 1 824633720833 274877906945
  epochs=1 shard=13752686981196726545 has_threads=1 shards=2
  | split: split, part 1 |
batch_by_cost
  ... > batch_by_cost 9
  epochs=1 salt=13891143542405138894 has_threads=1 batched=1 unit=batches shards=2
  | batch_by_cost: batch_by_cost 9 | inputs=9 elements=9
batch_by_cost, all options
  ... > batch_by_cost 9 of the largest, at most 4, sorted 8, too costly alone, drop
  epochs=1 random_stages=1 salt=13891143542405138894 has_threads=1 batched=1 unit=batches shards=2
  | batch_by_cost: batch_by_cost 9 of the largest, at most 4, sorted 8, too costly alone, drop | inputs=12 elements=4
batch_by_cost, in order
  ... > batch_by_cost 9, sorted 8 in order
  epochs=1 salt=13891143542405138894 has_threads=1 batched=1 unit=batches shards=2
  | batch_by_cost: batch_by_cost 9, sorted 8 in order | inputs=17 elements=9
unbatch
  ... > batch 3 > unbatch
  epochs=1 salt=13891143542405138894 has_threads=1 batched=1 shards=2 batched_shards=1
  | map: map | threads=3 ahead=6 chunk=3 takes_fused=1 is_complete=1 works_on_inputs=1
  | batch: batch 3 | inputs=3 elements=3
  | unbatch: unbatch |
named
  ...
  epochs=1 shard=13752686981196726545 has_threads=1 shards=2
  elastic: ...
  | name, of a stage: map | threads=3 ahead=6 chunk=32 takes_fused=1 is_complete=1 works_on_inputs=1
traced
  ...
  epochs=1 shard=13752686981196726545 has_threads=1 traced=1 shards=2
  elastic: ...
zip
  (range 20 > filter > shard 1 2 > map) and (range 5) > zip
  epochs=1 salt=13891143542405138894 has_threads=1 shards=2
  | range: range 5 | is_source=1
  | zip: zip |
mix
  ((range 20 > filter > shard 1 2 > map) and (range 5)) and (range 6) > mix 733007751851 366503875926 0
  epochs=1 random_stages=1 salt=13891143542405138894 has_threads=1 shards=2
  | range: range 5 | is_source=1
  | range: range 6 | is_source=1
  | mix: mix |
mix until the first has ended
  (range 20 > filter > shard 1 2 > map) and (range 5) > mix 733007751851 366503875926, first_exhausted
  epochs=1 random_stages=1 salt=13891143542405138894 has_threads=1 shards=2
  | range: range 5 | is_source=1
  | mix: mix |
mix that restarts
  (range 20 > filter > shard 1 2 > map) and (range 5) > mix 733007751851 366503875926, restart
  epochs=1 random_stages=1 salt=13891143542405138894 has_threads=1 shards=2
  | range: range 5 | is_source=1
  | mix: mix |
)";

inline constexpr const char* chains =
    R"(shard behind shard
  range 20 > shard 1 2 > shard 0 3
  epochs=1 size=4 shard=14553576582984390034 shards=3
  elastic: range 20 > shard 1 2 > shard
  | range: range 20 | is_source=1
  | shard: shard 1 2 |
  | shard: shard 0 3 |
elastic batch of batches
  range 20 > filter > shard 1 2 > map > batch 3 > batch 2, drop
  epochs=1 salt=13891143542405138894 has_threads=1 batched=1 unit=batches shards=2
  | range: range 20 | is_source=1
  | filter: filter |
  | shard: shard 1 2 |
  | map: map | threads=4 ahead=16 chunk=3 takes_fused=1 is_complete=1 works_on_inputs=1
  | batch: batch 3 | inputs=3 elements=3
  | batch: batch 2, drop | inputs=2 elements=2
elastic map that skips
  range 20 > filter > shard 1 2 > map, skips 1 > batch 3
  epochs=1 salt=13891143542405138894 batched=1 unit=batches shards=2
  | range: range 20 | is_source=1
  | filter: filter |
  | shard: shard 1 2 |
  | map: map, skips 1 |
  | batch: batch 3 | inputs=3 elements=3
batch behind skipping threads
  range 20 > filter > map, skips 1 > batch 3
  epochs=1 has_threads=1 batched=1 unit=batches
  | range: range 20 | is_source=1
  | filter: filter |
  | map: map, skips 1 | threads=2 ahead=8 chunk=3 takes_fused=1 works_on_inputs=1
  | batch: batch 3 | inputs=3 elements=3
batch behind a chunk
  range 20 > filter > map > batch 3
  epochs=1 has_threads=1 batched=1 unit=batches
  | range: range 20 | is_source=1
  | filter: filter |
  | map: map | threads=2 ahead=8 chunk=5 is_complete=1 works_on_inputs=1
  | batch: batch 3 | inputs=3 elements=3
padded batch behind threads
  range 20 > filter > map > padded_batch 3
  epochs=1 has_threads=1 batched=1 unit=batches
  | range: range 20 | is_source=1
  | filter: filter |
  | map: map | threads=4 ahead=16 chunk=3 extra_ahead=6 takes_fused=1 is_complete=1 works_on_inputs=1
  | padded_batch: padded_batch 3 | inputs=3 collates=1 elements=3
  | prefetch: prefetch 2 |
map of batches
  range 20 > filter > map > batch 3 > map
  epochs=1 has_threads=1 batched=1 unit=batches
  | range: range 20 | is_source=1
  | filter: filter |
  | map: map | threads=4 ahead=16 chunk=3 takes_fused=1 is_complete=1 works_on_inputs=1
  | batch: batch 3 | inputs=3 elements=3
  | map: map | threads=2 ahead=8 chunk=1 extra_ahead=2 takes_fused=1 is_complete=1 works_on_inputs=1
  | prefetch: prefetch 2 |
prefetch behind prefetch
  range 20 > filter
  epochs=1 has_threads=1
  | range: range 20 | is_source=1
  | filter: filter |
  | prefetch: prefetch 200 | threads=1 ahead=7 chunk=32
  | prefetch: prefetch 3 | threads=1 ahead=3 chunk=1
prefetch behind map and prefetch
  range 20 > filter > map
  epochs=1 has_threads=1
  | range: range 20 | is_source=1
  | filter: filter |
  | map: map | threads=4 ahead=16 chunk=32 extra_ahead=9 takes_fused=1 is_complete=1 works_on_inputs=1
  | prefetch: prefetch 6 |
  | prefetch: prefetch 3 |
two endless repeats
  range 20 > filter > seamless endless > take 3
  endless epochs ends=0
  | range: range 20 | is_source=1
  | filter: filter |
  | repeat: repeat |
  | repeat: repeat 2 |
  | take: take 3 |
  | repeat: repeat |
endless repeat of nothing
  range 0
  endless epochs size=0 ends=0
  endless: forebay: an endless repeat of an empty data set
  | range: range 0 | is_source=1
  | repeat: repeat |
seamless endless repeat
  range 3 > seamless endless
  epochs=1 ends=0
  | range: range 3 | is_source=1
  | repeat: repeat |
  | seamless: seamless |
zip of repeats
  ((range 3 > seamless 2) and (range 4 > shuffle)) and (range 20 > filter > shard 0 2) > zip
  epochs=1 salt=17173057977719523758
  | range: range 3 | is_source=1
  | repeat: repeat 2 |
  | range: range 4 | is_source=1
  | shuffle: shuffle |
  | range: range 20 | is_source=1
  | filter: filter |
  | shard: shard 0 2 |
  | zip: zip |
zip of an end and none
  (range 3 > seamless endless) and (range 4) > zip
  epochs=1
  | range: range 3 | is_source=1
  | repeat: repeat |
  | range: range 4 | is_source=1
  | zip: zip |
zip of equal lengths
  (range 3) and (range 4) > zip, equal
  epochs=1 size=3
  | range: range 3 | is_source=1
  | range: range 4 | is_source=1
  | zip: zip, equal |
concatenate an endless one
  (range 20 > filter) and (range 20 > filter > seamless endless) > concatenate
  epochs=1 ends=0
  | range: range 20 | is_source=1
  | filter: filter |
  | range: range 20 | is_source=1
  | filter: filter |
  | repeat: repeat |
  | concatenate: concatenate |
concatenate shards
  (range 9 > shard 1 2) and (range 9 > shard 0 2) > concatenate > seed 3 > shuffle 2
  epochs=1 size=9 seed=3 random_stages=1 salt=14216602193717199691 shards=2
  | range: range 9 | is_source=1
  | shard: shard 1 2 |
  | range: range 9 | is_source=1
  | shard: shard 0 2 |
  | concatenate: concatenate |
  | shuffle: shuffle 2 | inputs=2
a name behind repeat
  range 20 > filter
  epochs=2
  | range: range 20 | is_source=1
  | filter: filter |
  | twice: repeat 2 |
)";

inline constexpr const char* sources =
    R"(from_slices
  from_slices 3
  epochs=1 size=3
  | from_slices: from_slices 3 | is_source=1
from_slices of two
  from_slices 2
  epochs=1 size=2
  | from_slices: from_slices 2 | is_source=1
range(2, 20, 3)
  range 6
  epochs=1 size=6
  | range: range 6 | is_source=1
from_indexed
  from_indexed 6
  epochs=1 size=6
  | from_indexed: from_indexed 6 | is_source=1
shuffle()
  range 10 > shuffle
  epochs=1 size=10 random_stages=1
  | range: range 10 | is_source=1
  | shuffle: shuffle |
shuffle_pages(4)
  range 10 > shuffle > shuffle_pages 4
  epochs=1 size=10 random_stages=2
  | range: range 10 | is_source=1
  | shuffle: shuffle |
  | shuffle_pages: shuffle_pages 4 |
seed(7)
  range 10 > shuffle > seed 7 > shuffle
  epochs=1 size=10 seed=7 random_stages=2
  | range: range 10 | is_source=1
  | shuffle: shuffle |
  | shuffle: shuffle |
take(4)
  range 10 > shuffle > slice 0 4
  epochs=1 size=4 random_stages=1
  | range: range 10 | is_source=1
  | shuffle: shuffle |
  | slice: slice 0 4 |
skip(4)
  range 10 > shuffle > slice 4 6
  epochs=1 size=6 random_stages=1
  | range: range 10 | is_source=1
  | shuffle: shuffle |
  | slice: slice 4 6 |
step_by(4)
  range 10 > shuffle > step_by 4
  epochs=1 size=3 random_stages=1
  | range: range 10 | is_source=1
  | shuffle: shuffle |
  | step_by: step_by 4 |
shard(1, 3)
  range 10 > shuffle > shard 1 3
  epochs=1 size=3 random_stages=1 shard=12728851363016036616 shards=3
  elastic: range 10 > shuffle > shard
  | range: range 10 | is_source=1
  | shuffle: shuffle |
  | shard: shard 1 3 |
shard(1, 3, drop)
  range 10 > shuffle > shard, drop 1 3
  epochs=1 size=3 random_stages=1 shard=12728851363016036616 shards=3
  elastic: range 10 > shuffle > shard, drop
  | range: range 10 | is_source=1
  | shuffle: shuffle |
  | shard: shard, drop 1 3 |
shard(1, 3, repeat)
  range 10 > shuffle > shard, repeat 1 3 > batch 2
  epochs=1 size=2 random_stages=1 salt=9093360845319111150 batched=1 unit=batches shards=3 batched_shards=1
  elastic: range 10 > shuffle > shard, repeat > batch 6 of all shards
  | range: range 10 | is_source=1
  | shuffle: shuffle |
  | shard: shard, repeat 1 3 |
  | batch: batch 2 | inputs=2 elements=2
named
  range 10 > shuffle
  epochs=1 size=10 random_stages=1
  | range: range 10 | is_source=1
  | name: shuffle |
traced
  range 10 > shuffle
  epochs=1 size=10 random_stages=1 traced=1
  | range: range 10 | is_source=1
  | shuffle: shuffle |
map of numbers
  range 10 > shuffle > map
  epochs=2 size=10 random_stages=1 has_threads=1
  | range: range 10 | is_source=1
  | shuffle: shuffle |
  | repeat: repeat 2 |
  | map: map | threads=4 ahead=16 chunk=32 takes_fused=1 is_complete=1
collect
  (range 10 > shuffle) > collect 10
  epochs=1 size=10
  | collect: collect 10 | is_source=1
from_callable
  from_callable
  epochs=1 may_block=1
  cannot resume: a from_callable cannot replay: give its reader cursor() and seek(cursor)
  | from_callable: from_callable | is_source=1
from_callable that seeks
  from_callable, skips 6
  epochs=1
  | from_callable: from_callable, skips 6 | is_source=1
from_callable that moves
  from_callable
  epochs=1 may_block=1 single_uses=1
  cannot resume: a from_callable cannot replay: give its reader cursor() and seek(cursor)
  | from_callable: from_callable | is_source=1
text_lines
  from_slices 1 > text_lines, skips 6
  epochs=1
  | from_slices: from_slices 1 | is_source=1
  | text_lines: text_lines, skips 6 | buffers=65536
from_queue
  from_queue
  epochs=1 may_block=1 single_uses=1
  cannot resume: a from_queue cannot replay
  | from_queue: from_queue | is_source=1
)";

}  // namespace forebay_test::expected

#endif  // FOREBAY_TESTS_DESCRIBE_EXPECTED_PROPERTIES_HPP
