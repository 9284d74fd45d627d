export * from './match-error.ts';
export * from './rest-mapper.ts';
