//! The columns of a table as arrays.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use tokenyard::export::{ColumnTexts, ColumnValues, TableColumn};

fn array(py: Python<'_>, values: ColumnValues) -> Bound<'_, PyAny> {
    match values {
        ColumnValues::Unknown(n) => vec![f64::NAN; n].into_pyarray(py).into_any(),
        ColumnValues::Flags(all) => all.into_pyarray(py).into_any(),
        ColumnValues::Whole(all) => all.into_pyarray(py).into_any(),
        ColumnValues::Real(all) => all.into_pyarray(py).into_any(),
        ColumnValues::Texts(ColumnTexts { rows, names, .. }) => {
            let names: Vec<Py<PyAny>> =
                names.iter().map(|name| PyString::new(py, name).into_any().unbind()).collect();
            let none = py.None();
            let of = |number: Option<u32>| {
                number.and_then(|n| names.get(n as usize)).unwrap_or(&none).clone_ref(py)
            };
            let texts: Vec<Py<PyAny>> = rows.into_iter().map(of).collect();
            texts.into_pyarray(py).into_any()
        }
        ColumnValues::Lists(all) => {
            let lists: Vec<Py<PyAny>> =
                all.into_iter().map(|list| list.into_pyarray(py).into_any().unbind()).collect();
            lists.into_pyarray(py).into_any()
        }
    }
}

/// Columns by name, as arrays.
pub(crate) fn arrays(py: Python<'_>, columns: Vec<TableColumn>) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for column in columns {
        dict.set_item(column.name, array(py, column.values))?;
    }
    Ok(dict)
}
