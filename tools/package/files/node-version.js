// Understood by every Node, as ES module. The package also contains it as CommonJS module.
const [major, minor] = process.versions.node.split('.').map(Number);
const isSupported = major > 22 || (major === 22 && minor >= 20);

export const problem = isSupported ? undefined : `apichain: Node 22.20 or newer is needed; this is ${process.version}`;
