// Loaded into every test process: tap would have each program that a test starts load its modules through a recorder,
// which takes longer than most of them run, and is nothing that they have to do with elsewhere.
import processOnSpawn from 'process-on-spawn';

processOnSpawn.removeAllListeners();
