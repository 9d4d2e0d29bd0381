# Ends the configuration if Python_EXECUTABLE is a build without the global lock, where the extension has not been tried.
execute_process(COMMAND ${Python_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"
  OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE python_without_lock COMMAND_ERROR_IS_FATAL ANY)
if(python_without_lock)
  message(FATAL_ERROR "${Python_EXECUTABLE} is a free-threaded build of Python, for which Fractile's extension is not made. Use an ordinary "
    "build, such as python3.13 in place of python3.13t.")
endif()
