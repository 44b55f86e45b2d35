import { Layout } from '../layout.js';
import type { PageResponse } from '../page-context.js';

/** The response to a link that is unknown, used, revoked or expired. All look the same. */
export function invalidLink(advice: string): PageResponse {
  const title = 'This link does not work';
  const page = (
    <Layout title={title} narrow>
      <h1>{title}</h1>
      <p>
        A link can be used once and for a limited time. This one was used, has expired, or was replaced by
        another.
      </p>
      <p>{advice}</p>
      <p>
        <a href="/sign_in">Sign in</a>
      </p>
    </Layout>
  );
  return { status: 404, page };
}
