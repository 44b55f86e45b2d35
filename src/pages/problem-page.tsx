import type { ProblemDocument } from '../problems/problem-document.js';
import { Layout, renderPage } from './layout.js';
import { home } from './return-to.js';

/** Error page for browsers. */
export function problemPage(problem: ProblemDocument): string {
  const { title, detail, code, errors = [], request_id, instance } = problem;
  // Users of the consent screen came from an application, so a link to People would be misleading.
  const inPeople = instance === home || instance.startsWith(`${home}/`);
  return renderPage(
    <Layout title={title}>
      <h1>{title}</h1>
      <p>{code === 'public-api-not-found' ? 'There is no page at this address.' : detail}</p>
      {errors.length > 1 && (
        <ul>
          {errors.map((error) => (
            <li key={error.detail}>{error.detail}</li>
          ))}
        </ul>
      )}
      {inPeople && (
        <p>
          <a href={home}>Go to People</a>
        </p>
      )}
      <p class="note">
        Error <code>{code}</code>, request <code>{request_id}</code>
      </p>
    </Layout>,
  );
}
