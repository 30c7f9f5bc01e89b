(push 2)
(reset-assertions)
(get-info :assertion-stack-levels)
