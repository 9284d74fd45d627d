/**
 * The provisioner of storage classes whose volumes are made and deleted at once, without storage behind them. For everybody else it is an external
 * provisioner, such as that of a CSI driver.
 */
export const simulatedProvisioner = 'simulate.apichain.dev/volumes';
