//! Every example of the cases is run and compared with what it prints.

#[test]
fn the_examples_print_what_they_say() {
    trycmd::TestCases::new().case("tests/cases/*.md").case("tests/cases/*.toml");
}
