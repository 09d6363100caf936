# cmake -DOUTPUT=FILE.cpp -DFILES=a;b -P embed.cmake: a source file that holds the given files, for
# page_part() of src/report/page.h.
set(text "// Made by cmake/embed.cmake.\n#include \"report/page.h\"\n\nnamespace simplexboost {\n\n")
string(APPEND text "std::string_view page_part(std::string_view name) {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} content)
  string(APPEND text "  if (name == \"${name}\") return R\"PAGE(")
  string(APPEND text "${content}")
  string(APPEND text ")PAGE\";\n")
endforeach()
string(APPEND text "  return {};\n}\n\n}  // namespace simplexboost\n")
file(WRITE ${OUTPUT} "${text}")
