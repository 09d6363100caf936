# What makes a fault harder to exploit, where it costs next to nothing: see SECURITY.md. Sanitized
# builds have better means, and their runtime does not go with fortified calls.
option(SIMPLEXBOOST_HARDENING "Full RELRO, stack protector, fortified library calls" ON)
if(SIMPLEXBOOST_HARDENING AND NOT SIMPLEXBOOST_SANITIZE)
  add_compile_options(-fstack-protector-strong)
  # Needs optimisation; distributions that set it themselves may set it higher.
  add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
                      $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
  add_link_options(-Wl,-z,relro -Wl,-z,now)
endif()
