import { Problem } from '../../platform/problems/problem.js';

/** 410 `events_expired`. `subject` is the start of the sentence. */
export function eventsExpired(subject: string): Problem {
  const remedy = 'Start again with filter[since] and list all records.';
  return new Problem('events_expired', `${subject} no longer kept. ${remedy}`);
}
