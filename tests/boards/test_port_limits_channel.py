"""A channel is no faster than its AXI port."""

from sttest.boards.load import load_board


def test_without_the_port_the_channel_stays_behind_it(tmp_path):
    path = tmp_path / "narrow.yaml"
    port = "axi_port_mhz: {value: 450}"
    path.write_text(f"extends: u55c\nmemory: {{hbm: {{peak_gb_per_s_per_channel: {{value: 28.75}}, {port}}}}}")
    assert load_board(path).hbm_bytes_per_cycle_per_channel() == 14.4e3 / 250
