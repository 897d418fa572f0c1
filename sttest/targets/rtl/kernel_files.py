"""The files of a kernel for v++: SystemVerilog, ``kernel.xml``, and a script for Vivado that packs them into a .xo."""

from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import quoteattr

from sttest.boards.resources import MemoryKind
from sttest.core.files import write_text
from sttest.targets.rtl.kernel import RtlKernel

KERNEL_XML, SCRIPT, SOURCES = "kernel.xml", "package_xo.tcl", "sources"
_FIRST_OFFSET, _OFFSET_STEP = 0x10, 0xC
"""Places of arguments among the control registers, as in ``axi_control.sv``."""


def write_kernel_files(
    kernel: RtlKernel, folder: Path, part: str, kinds: Mapping[str, MemoryKind], title: str
) -> list[Path]:
    """Writes a kernel; its processes must be those for synthesis.

    Args:
        kernel: kernel.
        folder: folder of the files.
        part: name of the FPGA.
        kinds: of memories, by name of the FIFO.
        title: for the heads of files.

    Returns:
        The sources, in the order in which they are read.
    """
    texts = kernel.sources(kinds)
    (folder / SOURCES).mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_text(folder / SOURCES / name, f"// {title}\n{text}")
    write_text(folder / KERNEL_XML, kernel_xml(kernel))
    write_text(folder / SCRIPT, package_script(kernel, part, title))
    return [folder / SOURCES / name for name in texts]


def kernel_xml(kernel: RtlKernel) -> str:
    """What v++ and XRT must know of the kernel's ports and arguments."""
    control = 'name="s_axi_control" mode="slave" range="0x1000" dataWidth="32"'
    ports = [f'      <port {control} portType="addressable" base="0x0"/>']
    arguments = []
    for number, each in enumerate(kernel.arguments):
        ports.append(
            f'      <port name={quoteattr(each.bus)} mode="master" range="0xFFFFFFFFFFFFFFFF" '
            f'dataWidth="{each.words.word_bits}" portType="addressable" base="0x0"/>'
        )
        arguments.append(
            f'      <arg name={quoteattr(each.name)} addressQualifier="1" id="{number}" port={quoteattr(each.bus)} '
            f'size="0x8" offset="0x{_FIRST_OFFSET + number * _OFFSET_STEP:03x}" type="void*" hostOffset="0x0" '
            'hostSize="0x8"/>'
        )
    vlnv = quoteattr(f"sttest:kernel:{kernel.name}:1.0")
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<root versionMajor="1" versionMinor="6">',
            f'  <kernel name={quoteattr(kernel.name)} language="ip_c" vlnv={vlnv} attributes="" '
            'preferredWorkGroupSizeMultiple="0" workGroupSize="1" interrupt="true" hwControlProtocol="ap_ctrl_hs">',
            "    <ports>",
            *ports,
            "    </ports>",
            "    <args>",
            *arguments,
            "    </args>",
            "  </kernel>",
            "</root>",
            "",
        ]
    )


def package_script(kernel: RtlKernel, part: str, title: str) -> str:
    """The script, for ``vivado -mode batch -source package_xo.tcl`` in the folder of the files."""
    name = kernel.name
    buses = " ".join(["s_axi_control", *(each.bus for each in kernel.arguments)])
    return f"""# {title}
# vivado -mode batch -source {SCRIPT}
create_project -force -part {part} {name} project
add_files [glob {SOURCES}/*.sv]
set_property top {name} [current_fileset]
update_compile_order -fileset sources_1
ipx::package_project -root_dir ip -vendor sttest -library kernel -taxonomy /KernelIP -import_files -set_current true
set core [ipx::current_core]
foreach bus {{{buses}}} {{
  ipx::associate_bus_interfaces -busif $bus -clock ap_clk $core
}}
set_property sdx_kernel true $core
set_property sdx_kernel_type rtl $core
set_property supported_families {{}} $core
set_property auto_family_support_level level_2 $core
ipx::create_xgui_files $core
ipx::update_checksums $core
ipx::check_integrity -kernel $core
ipx::save_core $core
package_xo -force -ctrl_protocol ap_ctrl_hs -xo_path {name}.xo -kernel_name {name} -ip_directory ip \\
  -kernel_xml {KERNEL_XML}
close_project
"""
