// Package yices is the binding of libyices.
package yices
