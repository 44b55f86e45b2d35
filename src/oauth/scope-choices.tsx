import { CodeChoices } from '../platform/pages/form-parts.js';
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
  return <CodeChoices name={name} codes={scopes} selected={selected} labelOf={scopeLabel} />;
}
