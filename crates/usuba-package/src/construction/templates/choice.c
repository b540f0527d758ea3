
static @declaration@
{
#if defined(USUBA_HAS_BMI)
@if result
    if (USUBA_HAS_BMI)
        return @bmi@
@end
@if nothing
    if (USUBA_HAS_BMI) {
        @bmi@
        return;
    }
@end
#endif
@if result
    return @all@
@end
@if nothing
    @all@
@end
}
