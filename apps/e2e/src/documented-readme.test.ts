import { followPages } from './documented-commands/pages.ts';

describe('the commands of the README', function () {
  this.timeout(600_000);
  followPages(['README.md']);
});
