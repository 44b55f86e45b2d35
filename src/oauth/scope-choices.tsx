import { scopeLabel } from './scopes.js';

/** A checkbox for each scope, with what the scope allows. */
export function ScopeChoices({
  name,
  scopes,
  selected,
}: {
  name: string;
  scopes: readonly string[];
  selected: readonly string[];
}) {
  return scopes.map((scope) => (
    <label key={scope} class="choice">
      <input type="checkbox" name={name} value={scope} checked={selected.includes(scope)} />
      <span>
        {scopeLabel(scope)} <code>{scope}</code>
      </span>
    </label>
  ));
}
