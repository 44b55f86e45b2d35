import { jsonOf } from '../../../kit/http/client.js';
import { get } from '../../../kit/http/requests.js';
import { baseUrl } from '../../../kit/paths.js';
import { ApplicationClient } from './application-client.js';

/** Reads employees, which never change, so every response is known. */
export class EmployeeReader extends ApplicationClient {
  protected async step(): Promise<void> {
    const token = await this.token();
    await (this.random.chance(0.5) ? this.#readOne(token) : this.#readPages(token));
  }

  async #readPages(token: string): Promise<void> {
    const size = this.random.pick([3, 10, 50]);
    const first = this.random.upTo(3);
    let path: string | undefined = `/v1/employees?page[number]=${first + 1}&page[size]=${size}`;
    for (let page = first; path !== undefined && page < first + 5; page += 1) {
      const response = await this.expect(200, get(path, token), 'a list was not returned');
      const { data, meta, links } = jsonOf(response);
      const expected = this.employees.slice(page * size, (page + 1) * size);
      this.compare('a wrong page of employees', data, expected);
      this.compare('a wrong number of employees', meta.record_count, this.employees.length);
      const isLast = (page + 1) * size >= this.employees.length;
      this.compare('a wrong link to the next page', links.next === null, isLast);
      path = links.next?.slice(baseUrl.length);
    }
  }

  async #readOne(token: string): Promise<void> {
    const employee = this.random.pick(this.employees);
    const request = get(`/v1/employees/${employee.id}`, token);
    const response = await this.expect(200, request, 'an employee was not returned');
    this.compare('a wrong employee', jsonOf(response).data, employee);
  }
}
