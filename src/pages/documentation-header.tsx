import { Mark } from './layout.js';

/** Navigation of the documentation. The reference has the same. */
export function DocumentationHeader() {
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <a class="brand" href="/docs">
        <Mark /> People API
      </a>
      <nav aria-label="Documentation">
        <ul>
          <li>
            <a href="/docs">Reference</a>
          </li>
          <li>
            <a href="/errors" aria-current="true">
              Errors
            </a>
          </li>
          <li>
            <a href="/openapi/v1.yaml">YAML</a>
          </li>
          <li>
            <a href="/openapi/v1.json">JSON</a>
          </li>
          <li>
            <a href="/people/settings/oauth_applications">Your applications</a>
          </li>
        </ul>
      </nav>
    </>
  );
}
