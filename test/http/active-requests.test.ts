import t from 'tap';
import { ActiveRequests } from '../../src/http/active-requests.js';

/** Begins and finishes requests that wait for their bodies in between, as requests with bodies do. */
function work(requests: ActiveRequests, count: number): void {
  for (let index = 0; index < count; index += 1) {
    const request = { active: false };
    requests.begin(request);
    requests.pause(request);
    requests.begin(request);
    requests.finish(request);
  }
}

/** How many requests are begun until there are too many. */
function room(requests: ActiveRequests): number {
  const begun = [];
  while (!requests.full) {
    const request = { active: false };
    requests.begin(request);
    begun.push(request);
  }
  for (const request of begun) requests.pause(request);
  return begun.length;
}

t.test('as many requests are worked on at once as were finished in the time that one may wait', async (t) => {
  const requests = new ActiveRequests(400);
  work(requests, 150);
  requests.adapt();
  t.equal(room(requests), 150, 'a request counts once, however often it waited for its client');
  work(requests, 5000);
  requests.adapt();
  t.equal(room(requests), 400, 'never more than the maximum');
  requests.adapt();
  t.equal(room(requests), 100, 'what nothing was finished in says nothing: a hundred are always allowed');
});

t.test('a maximum below a hundred holds from the beginning', async (t) => {
  t.equal(room(new ActiveRequests(3)), 3);
});
