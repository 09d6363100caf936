# SIMPLEXBOOST_SANITIZE applies to everything, so that no half of the program goes unseen.
if(SIMPLEXBOOST_SANITIZE)
  add_compile_options(-fsanitize=${SIMPLEXBOOST_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SIMPLEXBOOST_SANITIZE})
endif()
