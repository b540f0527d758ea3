
static @declaration@
{
#if defined(USUBA_HAS_BMI)
    if (USUBA_HAS_BMI) {
        @bmi@
@if nothing
        return;
@end
    }
#endif
    @all@
}
