import { readWorks } from './read-works.mjs';
import { tokenWorks } from './token-works.mjs';

/** Everything that is measured, in the order of the report. */
export const works = [...readWorks, ...tokenWorks];
