// Package dialogue speaks SMT-LIB with a client: it reads command by command from a stream and replies to each as the
// standard says, with a front end that answers. What is wrong with a command is a reply that says where and what;
// then nothing has changed, and the dialogue goes on.
package dialogue
