export { respondToSignIn } from './pages/after-sign-in.js';
