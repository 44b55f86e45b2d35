import { Copyable } from '../../../platform/pages/copyable.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { applicationAddress } from '../../../platform/pages/paths.js';
import { SitePage } from '../../../platform/pages/site-page.js';
import { TokenExample } from './token-example.js';

/** The only page that shows a client secret. */
export function SecretPage({
  context,
  title,
  id,
  clientId,
  clientSecret,
  baseUrl,
}: {
  context: PageContext;
  title: string;
  id: string;
  clientId: string;
  clientSecret: string;
  baseUrl: string;
}) {
  return (
    <SitePage context={context} title={title} current="applications" script="copy.js">
      <h1>{title}</h1>
      <div class="warning">
        <p>
          <strong>Copy the client secret now. You won't be able to see it again.</strong> Anyone who has it
          can act as this application. Store it where only your server can read it, never in source code.
        </p>
      </div>
      <Copyable id="client-id" label="Client ID" value={clientId} />
      <Copyable id="client-secret" label="Client secret" value={clientSecret} />
      <p id="copied" role="status" class="hint" />
      <h2>Get a token</h2>
      <TokenExample baseUrl={baseUrl} clientId={clientId} />
      <p class="actions">
        <a class="button" href={applicationAddress(id)}>
          I have stored the secret
        </a>
      </p>
    </SitePage>
  );
}
