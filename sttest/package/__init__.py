"""The design package: the only code that knows a path or key inside a package."""

from sttest.package.design_package import DesignPackage, check_target, read_lanes
from sttest.package.kernel_files import KernelFiles
from sttest.package.load import load_graph
from sttest.package.model_package import ModelPackage

__all__ = ["DesignPackage", "KernelFiles", "ModelPackage", "check_target", "load_graph", "read_lanes"]
