import { Layout } from '../../../../platform/pages/layout.js';
import type { PageResponse } from '../../../../platform/pages/page-context.js';
import type { OpenContext } from './open-pages.js';

/**
 * The response to a link that is unknown, used, revoked or expired. All look the same, except to the browser that has used the
 * link: it gets the response to the first use again.
 */
export function invalidLink(advice: string, { used }: OpenContext, first: PageResponse): PageResponse {
  if (used) return first;
  const title = 'This link does not work';
  const page = (
    <Layout title={title} narrow>
      <h1>{title}</h1>
      <p>
        A link can be used once and for a limited time. This one was used, has expired, or was replaced by
        another. If you have just used it, it worked: sign in.
      </p>
      <p>{advice}</p>
      <p>
        <a href="/sign_in">Sign in</a>
      </p>
    </Layout>
  );
  return { status: 404, page };
}
