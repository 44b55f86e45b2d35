import { type ExitCode, exitCodes } from '../../../platform/cli/cli-error.js';
import { formatCount } from '../../../platform/cli/print.js';
import { describeError, isStatementRejected } from '../../../platform/database/database-errors.js';
import type { ImportOutcome } from '../import-employees.js';

/** Describes the outcome of an import: the reason why it stopped, if it is not complete, and the counts. */
export function describeOutcome(
  { counts, ending }: ImportOutcome,
  { dryRun }: { dryRun: boolean },
): string[] {
  const { read, created, updated, unchanged, rejected, superseded, managersRejected } = counts;
  const became = (count: number, word: string) =>
    `${formatCount(count)} ${dryRun && word !== 'unchanged' ? 'would be ' : ''}${word}`;
  const parts = [became(created, 'created'), became(updated, 'updated'), became(unchanged, 'unchanged')];
  parts.push(`${formatCount(rejected)} rejected`);
  if (superseded > 0) {
    parts.push(`${formatCount(superseded)} replaced by a later one with the same employee_number`);
  }
  if (managersRejected > 0) parts.push(`${formatCount(managersRejected)} without the manager in the file`);
  const pending = read - created - updated - unchanged - rejected - superseded;
  if (pending > 0) parts.push(`${formatCount(pending)} not stored`);
  const summary = `${formatCount(read)} records read: ${parts.join(', ')}.`;
  const lines = [...describeEnding(ending, counts.rejected), summary];
  if (dryRun) lines.push('This was a dry run: nothing was changed.');
  else if (ending.kind !== 'complete') {
    lines.push('Created and updated employees are stored. Run the import again to continue.');
  }
  return lines;
}

/** Exit code of an import. */
export function exitCodeOf({ counts, ending }: ImportOutcome): ExitCode {
  if (ending.kind === 'interrupted') return exitCodes.interrupted;
  if (ending.kind !== 'complete') return exitCodes.failure;
  return counts.rejected + counts.managersRejected > 0 ? exitCodes.rejectedLines : exitCodes.ok;
}

function describeEnding(ending: ImportOutcome['ending'], rejected: number): string[] {
  switch (ending.kind) {
    case 'complete':
      return [];
    case 'interrupted':
      return ['Interrupted.'];
    case 'too_many_rejected':
      return [
        `Stopped after ${formatCount(rejected)} rejected ${rejected === 1 ? 'line' : 'lines'} (--max-errors).`,
      ];
    case 'failed': {
      const { error, lines } = ending;
      // If the connection was lost during the commit, the outcome is unknown.
      const became = isStatementRejected(error) ? 'were not stored' : 'may not have been stored';
      const where = lines.count > 0 ? `lines ${lines.first} to ${lines.last} ${became}: ` : '';
      return [`Failed: ${where}${describeError(error)}`];
    }
  }
}
