export default { apply() {} };
