import { describeError, isStatementRejected } from '../../database/database-errors.js';
import { type ExitCode, exitCodes } from '../cli-error.js';
import { formatCount } from '../print.js';
import type { ImportOutcome } from './import-employees.js';

/** What an import came to, in words: one line on how it ended, where that needs saying, and the counts. */
export function describeOutcome(
  { counts, ending }: ImportOutcome,
  { dryRun }: { dryRun: boolean },
): string[] {
  const { read, created, updated, unchanged, rejected, superseded } = counts;
  const became = (count: number, word: string) =>
    `${formatCount(count)} ${dryRun && word !== 'unchanged' ? 'would be ' : ''}${word}`;
  const parts = [became(created, 'created'), became(updated, 'updated'), became(unchanged, 'unchanged')];
  parts.push(`${formatCount(rejected)} refused`);
  if (superseded > 0) {
    parts.push(`${formatCount(superseded)} followed by a later one with the same employee_number`);
  }
  const pending = read - created - updated - unchanged - rejected - superseded;
  if (pending > 0) parts.push(`${formatCount(pending)} not stored`);
  const summary = `${formatCount(read)} records read: ${parts.join(', ')}.`;
  const lines = [...describeEnding(ending, counts.rejected), summary];
  if (dryRun) lines.push('This was a dry run: nothing was changed.');
  else if (ending.kind !== 'complete') {
    lines.push('What was created and updated is in the database. Run the import again to go on.');
  }
  return lines;
}

/** The exit code that an import ends with. */
export function exitCodeOf({ counts, ending }: ImportOutcome): ExitCode {
  if (ending.kind === 'interrupted') return exitCodes.interrupted;
  if (ending.kind !== 'complete') return exitCodes.failure;
  return counts.rejected > 0 ? exitCodes.refusedLines : exitCodes.ok;
}

function describeEnding(ending: ImportOutcome['ending'], refused: number): string[] {
  switch (ending.kind) {
    case 'complete':
      return [];
    case 'interrupted':
      return ['Interrupted.'];
    case 'too_many_refused':
      return [`Given up after ${formatCount(refused)} refused lines (--max-errors).`];
    case 'failed': {
      const { error, lines } = ending;
      // Of a transaction that was lost while it was committed nobody knows.
      const became = isStatementRejected(error) ? 'were not stored' : 'may not have been stored';
      const where = lines.count > 0 ? `lines ${lines.first} to ${lines.last} ${became}: ` : '';
      return [`Failed: ${where}${describeError(error)}`];
    }
  }
}
