import type { ComponentChildren } from 'preact';

/** Kind of a state: usual, temporary, or ended. */
export type Tone = 'good' | 'caution' | 'ended';

/** A state as text, with a redundant colour. */
export function Badge({ tone, children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={tone === undefined ? 'badge' : `badge ${tone}`}>{children}</span>;
}
