export { createStore } from './cacher.ts';
