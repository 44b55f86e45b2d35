import { csvWork } from './csv.mjs';
import { pagesWork } from './pages.mjs';
import { readWorks } from './read-works.mjs';
import { scaleWorks } from './scale.mjs';
import { syncWork } from './sync.mjs';
import { tokenWorks } from './token-works.mjs';

/** Everything that is measured, in the order of the report. */
export const works = [...readWorks, ...tokenWorks, pagesWork, syncWork, csvWork, ...scaleWorks];
