import type { Visit } from '../site.js';
import { SitePage } from '../site-page.js';
import { addressOf } from './application-pages.js';
import { TokenExample } from './token-example.js';

/** The one page that ever shows a client secret. */
export function SecretPage({
  visit,
  title,
  id,
  clientId,
  clientSecret,
  baseUrl,
}: {
  visit: Visit;
  title: string;
  id: string;
  clientId: string;
  clientSecret: string;
  baseUrl: string;
}) {
  return (
    <SitePage visit={visit} title={title} current="applications" script>
      <h1>{title}</h1>
      <div class="warning">
        <p>
          <strong>Copy the client secret now.</strong> It is shown this once and cannot be shown again, by
          nobody: we keep no copy of it. Whoever has it can act as this application, so keep it where only
          your server can read it, and out of your source code.
        </p>
      </div>
      <Copyable id="client-id" label="Client ID" value={clientId} />
      <Copyable id="client-secret" label="Client secret" value={clientSecret} />
      <p id="copied" role="status" class="hint" />
      <h2>Get the first token</h2>
      <TokenExample baseUrl={baseUrl} clientId={clientId} />
      <p class="actions">
        <a href={addressOf(id)}>I have stored the secret: go to the application</a>
      </p>
    </SitePage>
  );
}

function Copyable({ id, label, value }: { id: string; label: string; value: string }) {
  return (
    <div class="copyable">
      <h2 id={`${id}-label`}>{label}</h2>
      <code id={id}>{value}</code>
      <button
        type="button"
        class="quiet"
        hidden
        data-copies={id}
        data-label={label}
        aria-describedby={`${id}-label`}
      >
        Copy
      </button>
    </div>
  );
}
