import { followPages } from './documented-commands/pages.ts';

describe('the commands of the README', function () {
  this.timeout(300_000);
  followPages(['README.md']);
});
