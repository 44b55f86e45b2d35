import type { ProblemDocument } from '../problems/document.js';
import { Layout, renderPage } from './layout.js';

/** A refusal as a page, for a person with a browser. */
export function problemPage({ title, detail, code, errors = [], request_id }: ProblemDocument): string {
  return renderPage(
    <Layout title={title}>
      <h1>{title}</h1>
      <p>{detail}</p>
      {errors.length > 1 && (
        <ul>
          {errors.map((error) => (
            <li key={error.detail}>{error.detail}</li>
          ))}
        </ul>
      )}
      <p class="note">
        Error <code>{code}</code>, request <code>{request_id}</code>
      </p>
    </Layout>,
  );
}
