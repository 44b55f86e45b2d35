import { baseUrl } from '../../../bench/root.mjs';
import { get } from '../../client/requests.mjs';
import { differ } from './actor.mjs';
import { ApplicationActor } from './application-token.mjs';

/** Reads employees, which nobody changes: every page and every record is known. */
export class Reader extends ApplicationActor {
  async step() {
    const token = await this.token();
    if (this.random.chance(0.5)) return this.#readOne(token);
    const size = this.random.pick([3, 10, 50]);
    const first = this.random.upTo(3);
    let path = `/v1/employees?page[number]=${first + 1}&page[size]=${size}`;
    for (let page = first; path !== null && page < first + 5; page += 1) {
      const request = get(path, token);
      const { data, meta, links } = this.json(await this.expect(200, request, 'a list was refused'));
      const right = this.people.slice(page * size, (page + 1) * size);
      const fault = differ(data, right) ?? differ(meta.record_count, this.people.length);
      if (fault !== undefined) this.verdict.fault('a wrong page of employees', `${path}: ${fault}`);
      const last = (page + 1) * size >= this.people.length;
      if ((links.next === null) !== last) this.verdict.fault('a link to a page that is not there', path);
      path = links.next === null ? null : links.next.slice(baseUrl.length);
    }
  }

  async #readOne(token) {
    const person = this.random.pick(this.people);
    const request = get(`/v1/employees/${person.id}`, token);
    const { data } = this.json(await this.expect(200, request, 'an employee was refused'));
    const fault = differ(data, person);
    if (fault !== undefined) this.verdict.fault('a wrong employee', fault);
  }
}
