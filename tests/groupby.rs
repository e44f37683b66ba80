//! Grouped reductions against a naive oracle, over ranks, layouts, types of values and labels, and options.
#![allow(unreachable_pub)] // the modules of a program

mod support;

#[path = "groupby/cases.rs"]
mod cases;
#[path = "groupby/errors.rs"]
mod errors;
#[path = "groupby/labels.rs"]
mod labels;
#[path = "groupby/oracle.rs"]
mod oracle;
#[path = "groupby/properties.rs"]
mod properties;
#[path = "groupby/samples.rs"]
mod samples;
#[path = "groupby/strategies.rs"]
mod strategies;

use cases::*;
use errors::*;
use labels::*;
use properties::*;
use strategies::*;

support::tests![
    every_value_type,
    every_label_type,
    many_labels_through_the_directory,
    results_do_not_depend_on_the_strategy,
    float_sums_are_deterministic_for_a_layout_and_close_for_others,
    float_labels_above_the_integers_stay_apart,
    narrow_types_widen,
    large_integer_sums_are_exact,
    rows_with_and_without_the_label_merge,
    booleans_are_counted,
    min_count_on_integers_counts_rows,
    count_of_types_without_nan,
    nan_labels_are_one_group_or_dropped,
    no_sentinel_among_values,
    nan_and_infinities_at_both_ends,
    nan_propagates_unless_skipped,
    bins_of_a_map_keep_empty_cells,
    more_labels_than_a_16_bit_or_17_bit_code_holds,
    sentinels_are_ordinary_labels,
    the_two_zeros_are_one_label,
    expected_labels_decide_the_groups,
    nothing_to_group,
    replicated_values_and_labels,
    lanes_before_and_behind_the_groups,
    blocks_in_any_memory_order,
    plans_name_the_cohorts,
    days_of_a_time_series_do_not_move,
    a_label_on_every_rank_goes_by_reduce_scatter,
    the_meter_shows_what_the_plan_says,
    labels_of_another_length,
    labels_in_another_layout,
    axes_that_cannot_be,
    expected_labels_twice,
    ranks_that_ask_differently,
    sums_that_overflow,
    groups_without_a_result,
    errors_pass_through_the_facade,
];
