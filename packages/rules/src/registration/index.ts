export type { AddOnAgent, ClientDriver } from './registration.js';
export { credentialsOf, isSignIn, permissionsOf, registrationFor, registrationsOf } from './registrations.js';
export { roleRefOf } from './role-ref.js';
