import type { ComponentChildren } from 'preact';

/** What a state means: usual, temporary, or ended. */
export type Tone = 'good' | 'caution' | 'ended';

/** A state in words, with a colour that repeats what the words say. */
export function Badge({ tone, children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={tone === undefined ? 'badge' : `badge ${tone}`}>{children}</span>;
}
