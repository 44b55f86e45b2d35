export { consoleCallbackPath, demoBackend, demoConsoleClientId, demoPassword } from './accounts.js';
