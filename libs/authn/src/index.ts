export * from './user.ts';
export * from './authenticator.ts';
