// SPDX-License-Identifier: MIT
//
// thread_annotations.hpp: macros that declare which lock guards which member, for Clang's -Wthread-safety. They expand
// to nothing with other compilers.
//
//   int count_ FOREBAY_GUARDED_BY(mutex_) = 0;    read and written only while mutex_ is held
//   void add() FOREBAY_REQUIRES(mutex_);          its caller holds mutex_, and does so afterwards
//   [this]() FOREBAY_REQUIRES(mutex_) { ... }     the same of a lambda
//
// The analysis compares expressions: `sides.producers.lock` is not known to be the lock of a reference to
// `sides.producers`. It looks at functions that are instantiated, and not at constructors and destructors.

#ifndef FOREBAY_BASE_THREAD_ANNOTATIONS_HPP
#define FOREBAY_BASE_THREAD_ANNOTATIONS_HPP

#if defined(__clang__)
#define FOREBAY_THREAD_ANNOTATION(attribute) __attribute__((attribute))
#else
#define FOREBAY_THREAD_ANNOTATION(attribute)
#endif

#define FOREBAY_GUARDED_BY(lock) FOREBAY_THREAD_ANNOTATION(guarded_by(lock))
#define FOREBAY_REQUIRES(...) FOREBAY_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))

// For locks and guards: a class of either kind, and what its members do with the locks, or with the object itself.
#define FOREBAY_LOCK FOREBAY_THREAD_ANNOTATION(capability("mutex"))
#define FOREBAY_GUARD FOREBAY_THREAD_ANNOTATION(scoped_lockable)
#define FOREBAY_ACQUIRES(...) FOREBAY_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define FOREBAY_TRY_ACQUIRES(...) FOREBAY_THREAD_ANNOTATION(try_acquire_capability(__VA_ARGS__))
#define FOREBAY_RELEASES(...) FOREBAY_THREAD_ANNOTATION(release_capability(__VA_ARGS__))

// Disables the analysis of a function; a comment explains why.
#define FOREBAY_NO_THREAD_SAFETY_ANALYSIS FOREBAY_THREAD_ANNOTATION(no_thread_safety_analysis)

#endif  // FOREBAY_BASE_THREAD_ANNOTATIONS_HPP
